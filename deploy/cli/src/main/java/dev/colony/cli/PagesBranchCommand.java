package dev.colony.cli;

import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.value.Text;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.GroupingSettings;
import dev.colony.vcm.mapping.PageText;
import dev.colony.vcm.mapping.TokenCounter;
import dev.colony.vcm.store.PageBranches;
import dev.colony.vcm.store.PageBranches.BranchResult;
import dev.colony.vcm.store.PageBranches.BranchView;
import dev.colony.vcm.store.StoreSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "branch",
    description = {
      "Opens a session's copy-on-write branch of a map, changes, merges or discards it, and shows"
          + " it.",
      "A conflict is shown as PAGE: OURS beside THEIRS, and ends the command with status 1.",
    })
final class PagesBranchCommand extends PagesCommand.MapCommand {

  /**
   * Of the file that a page is written from: the longest value of an entry, as it is by default.
   */
  private static final int MOST_BYTES = 16 * 1024 * 1024;

  @Parameters(paramLabel = "MAP")
  private String id;

  @Option(
      names = "--session",
      paramLabel = "S",
      required = true,
      description = "Whose branch it is.")
  private String session;

  @ArgGroup private What what = new What();

  @Option(
      names = "--at",
      paramLabel = "PAGE",
      description = "The page that --write replaces; without it the page is added.")
  private Optional<String> at = Optional.empty();

  /** What is done; without one of them the branch is opened. */
  static final class What {

    @Option(
        names = "--write",
        paramLabel = "FILE",
        description = "Writes a page with the text of a file.")
    private Path write;

    @Option(names = "--remove", paramLabel = "PAGE", description = "Removes a page.")
    private String remove;

    @Option(names = "--merge", description = "Puts its changes into the map's trunk.")
    private boolean merge;

    @Option(
        names = "--settle",
        paramLabel = "SIDE",
        description = "Settles all conflicts for ours or for theirs, and merges.")
    private String settle;

    @Option(names = "--discard", description = "Gives its changes up.")
    private boolean discard;
  }

  @Override
  public Integer call() {
    BranchView shown =
        switch (tenant.with(this::result)) {
          case BranchResult.Refused refused -> throw CommandFailure.unsuccessful(refused.reason());
          case BranchResult.Conflicted conflicted -> conflicted.view();
          case BranchResult.Done done -> done.view();
        };
    json.print(shown, () -> text(shown));
    return (shown.conflicts().isEmpty() ? ExitCode.OK : ExitCode.UNSUCCESSFUL).status();
  }

  private BranchResult result(Blackboards blackboards) {
    PageBranches branches =
        new PageBranches(
            blackboards.open(PageBranches.scope(tenant.name()), BoardOptions.WRITER),
            tenant.pages(blackboards),
            StoreSettings.fromConfig(tenant.config()));
    if (what.write != null) {
      VirtualContextPage page = page(what.write);
      return branches.write(session, id, at.map(PagesBranchCommand::id).orElse(page.id()), page);
    }
    if (what.remove != null) {
      return branches.remove(session, id, id(what.remove));
    }
    if (what.settle != null) {
      return settled(branches);
    }
    if (what.merge) {
      return branches.merge(session, id);
    }
    return what.discard ? branches.discard(session, id) : branches.open(session, id);
  }

  private BranchResult settled(PageBranches branches) {
    boolean ours = what.settle.equals("ours");
    if (!ours && !what.settle.equals("theirs")) {
      throw CommandFailure.badInput(
          "--settle is %s, must be ours or theirs".formatted(what.settle));
    }
    return branches.settleAll(session, id, ours);
  }

  private VirtualContextPage page(Path file) {
    try {
      return PageText.page(
          file.getFileName().toString(),
          Text.ofFile(file, MOST_BYTES),
          PageLabel.NONE,
          TokenCounter.named(GroupingSettings.fromConfig(tenant.config()).tokenizer()));
    } catch (IOException failure) {
      throw CommandFailure.badInput(
          "--write %s: is no readable UTF-8 text".formatted(file), failure);
    } catch (IllegalArgumentException empty) {
      throw CommandFailure.badInput("--write %s: %s".formatted(file, empty.getMessage()), empty);
    }
  }

  private static PageId id(String page) {
    try {
      return new PageId(page);
    } catch (IllegalArgumentException none) {
      throw CommandFailure.badInput(none.getMessage(), none);
    }
  }

  private static String text(BranchView shown) {
    List<String> lines = new ArrayList<>();
    lines.add(
        Printable.of(
            "branch of session %s: %s, %d pages changed"
                .formatted(shown.session(), shown.status(), shown.changes().size())));
    shown
        .changes()
        .forEach(
            one -> lines.add("  %s -> %s".formatted(one.address(), one.page().orElse("removed"))));
    shown
        .conflicts()
        .forEach(one ->
            lines.add(
                "  conflict at %s: ours %s, theirs %s"
                    .formatted(
                        one.address(),
                        one.ours().orElse("removed"),
                        one.theirs().orElse("removed"))));
    return String.join("\n", lines);
  }
}
