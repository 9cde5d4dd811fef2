package dev.colony.cli;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.key.KeyGlob;
import dev.colony.cli.board.BoardText;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.client.wire.WireJson;
import dev.colony.server.board.BoardViews.EntryView;
import dev.colony.server.board.BoardViews.EntryViewPage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows entries. */
@Command(
    name = "get",
    mixinStandardHelpOptions = true,
    description = {
      "Shows an entry, or the entries of a scope.",
      "Long values are cut, except with --json.",
    })
final class BoardGetCommand implements Callable<Integer> {

  @Mixin private ScopeParameter on;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "KEY",
      converter = BoardWords.Key.class,
      description = "Of one entry, relative to the scope.")
  private String key;

  @Option(
      names = "--keys",
      paramLabel = "GLOB",
      converter = BoardWords.Glob.class,
      description = "Entries whose key matches, with * and ? (default: all).")
  private KeyGlob keys;

  @Option(
      names = "--tag",
      paramLabel = "T",
      converter = BoardWords.Tag.class,
      description = "Entries that carry it; given several times, those that carry every one.")
  private Set<String> tags = Set.of();

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "How many at most, 1 to 10000 (default: 100).")
  private Integer limit;

  @Option(
      names = "--cursor",
      paramLabel = "C",
      converter = BoardWords.Key.class,
      description = "Where the page before ended, as it said.")
  private String cursor;

  @Mixin private JsonOption json;

  @Mixin private BoardOptions board;

  @Override
  public Integer call() {
    if (key == null) {
      int most = limit == null ? Query.DEFAULT_LIMIT : limit;
      BoardOptions.checkLimit(most);
      showPage(
          board.with(blackboards -> page(blackboards.open(on.scope(), BoardOptions.WRITER), most)));
    } else {
      if (keys != null || !tags.isEmpty() || limit != null || cursor != null) {
        throw new CommandFailure(
            ExitCode.BAD_INPUT, "KEY names one entry: leave out --keys, --tag, --limit, --cursor");
      }
      showOne(board.ask(on.scope(), opened -> opened.read(key)));
    }
    return ExitCode.OK.status();
  }

  private void showOne(Optional<Entry> found) {
    Entry entry =
        found.orElseThrow(() ->
            new CommandFailure(ExitCode.UNSUCCESSFUL, "no entry " + key + " in " + on.scope()));
    System.out.println(
        json.given()
            ? Printable.line(WireJson.write(EntryView.of(entry)))
            : BoardText.entry(entry));
  }

  private void showPage(EntryPage page) {
    Optional<String> next = page.next().map(Query.Cursor::afterKey);
    if (json.given()) {
      System.out.println(Printable.line(WireJson.write(EntryViewPage.of(page.entries(), next))));
      return;
    }
    page.entries().forEach(entry -> System.out.println(BoardText.entryLine(entry)));
    if (page.entries().isEmpty()) {
      System.out.println("no entries");
    }
    next.ifPresent(
        after -> System.out.println("there are more: --cursor \"" + Printable.of(after) + "\""));
  }

  /** A page of the backend may be short and yet have a next one; a person's is not. */
  private EntryPage page(Blackboard opened, int most) {
    Query query =
        Query.keys(keys == null ? "*" : keys.pattern()).allTags(tags.toArray(String[]::new));
    Optional<Query.Cursor> next = Optional.ofNullable(cursor).map(Query.Cursor::new);
    List<Entry> entries = new ArrayList<>();
    do {
      Query rest = query.limit(most - entries.size());
      EntryPage page = opened.query(next.map(rest::from).orElse(rest)).toCompletableFuture().join();
      entries.addAll(page.entries());
      next = page.next();
    } while (entries.size() < most && next.isPresent());
    return new EntryPage(entries, next);
  }
}
