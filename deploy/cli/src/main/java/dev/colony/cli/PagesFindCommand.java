package dev.colony.cli;

import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLines;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Finds the page of a line, and the lines of a page. */
@Command(
    name = "find",
    mixinStandardHelpOptions = true,
    description = "Says which page a line of a file is on, or which lines a page has.")
final class PagesFindCommand implements Callable<Integer> {

  private static final Pattern LINE = Pattern.compile("(.+):(\\d{1,9})");

  @Parameters(index = "0", paramLabel = "MAP")
  private String id;

  @Parameters(
      index = "1",
      paramLabel = "FILE:LINE|FILE|PAGE",
      description = "A line of a file of the source, a whole file, or the id of a page.")
  private String sought;

  @Mixin private JsonOption json;

  @Mixin private PagesCommand.Tenant tenant;

  /** What was found. */
  record Found(List<OnPage> pages) {}

  /** Lines of a page. */
  record OnPage(String page, List<String> lines) {}

  @Override
  public Integer call() {
    PageLines lines =
        tenant.with(blackboards ->
            tenant
                .pages(blackboards)
                .lines(tenant.map(blackboards, id))
                .toCompletableFuture()
                .join());
    List<OnPage> found = new ArrayList<>();
    for (PageId page : pages(lines)) {
      found.add(
          new OnPage(
              page.value(),
              lines.lines(page).stream()
                  .map(part -> "%s:%d-%d".formatted(part.file(), part.firstLine(), part.lastLine()))
                  .toList()));
    }
    if (found.isEmpty()) {
      throw new CommandFailure(
          ExitCode.UNSUCCESSFUL, "no page of map %s has %s".formatted(id, sought));
    }
    if (json.given()) {
      PagesCommand.print(new Found(found));
    } else {
      found.forEach(one ->
          System.out.println(
              Printable.of("%s  %s".formatted(one.page(), String.join(", ", one.lines())))));
    }
    return ExitCode.OK.status();
  }

  private List<PageId> pages(PageLines lines) {
    List<PageId> whole = lines.pages(sought);
    if (!whole.isEmpty()) {
      return whole;
    }
    Matcher line = LINE.matcher(sought);
    if (line.matches()) {
      return lines.page(line.group(1), Integer.parseInt(line.group(2))).stream().toList();
    }
    try {
      PageId page = new PageId(sought);
      return lines.lines(page).isEmpty() ? List.of() : List.of(page);
    } catch (IllegalArgumentException noPage) {
      return List.of();
    }
  }
}
