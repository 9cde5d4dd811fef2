package dev.colony.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.cli.CommandOptions.LimitOption;
import dev.colony.cli.CommandOptions.ScopeParameter;
import dev.colony.cli.terminal.BoardText;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.cli.terminal.ValueInput;
import dev.colony.server.BoardViews.EntryView;
import dev.colony.server.BoardViews.EntryViewPage;
import dev.colony.server.BoardViews.EventPage;
import dev.colony.server.BoardViews.ScopeContent;
import dev.colony.server.BoardViews.ScopePage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "board",
    description = {
      "Looks at the blackboard and writes to it.",
      "A SCOPE is a path: tenant:T, then :colony:C, then :agent:A or :session:S, then :namespace:N,"
          + " each but the first as far as it applies.",
    },
    subcommands = {
      BoardCommand.BoardListCommand.class,
      BoardCommand.BoardGetCommand.class,
      BoardCommand.BoardPutCommand.class,
      BoardCommand.BoardDeleteCommand.class,
      BoardCommand.BoardClearCommand.class,
      BoardWatchCommand.class,
      BoardCommand.BoardHistoryCommand.class,
    })
final class BoardCommand {

  @Command(name = "clear", description = "Deletes all entries of a scope; its stored events stay.")
  static final class BoardClearCommand implements Callable<Integer> {

    @Mixin private ScopeParameter on;

    @Option(names = "--yes", description = "That this is meant.")
    private boolean meant;

    @Mixin private BoardOptions board;

    @Override
    public Integer call() {
      if (!meant) {
        throw CommandFailure.badInput("this deletes all entries of " + on.scope + ": say --yes");
      }
      long deleted = board.ask(on.scope, Blackboard::clear);
      System.out.println(deleted + " entries deleted");
      return ExitCode.OK.status();
    }
  }

  @Command(name = "delete", description = "Deletes an entry.")
  static final class BoardDeleteCommand implements Callable<Integer> {

    @Mixin private ScopeParameter on;

    @Parameters(index = "1", paramLabel = "KEY", converter = Words.Key.class)
    private String key;

    @Mixin private BoardOptions board;

    @Override
    public Integer call() {
      if (!board.ask(on.scope, opened -> opened.delete(key))) {
        throw CommandFailure.unsuccessful("no entry " + key + " in " + on.scope);
      }
      System.out.println("deleted");
      return ExitCode.OK.status();
    }
  }

  @Command(
      name = "list",
      description = "Lists the scopes that were ever written to, with what each holds.")
  static final class BoardListCommand extends StoreCommand {

    @Option(names = "--tenant", paramLabel = "T", description = "Only the scopes of this tenant.")
    private Optional<String> tenant;

    @Mixin private LimitOption limit;

    @Option(
        names = "--after",
        paramLabel = "SCOPE",
        description = "The last one of the page before.")
    private Optional<Scope> after;

    @Override
    public Integer call() {
      int most = limit.checked();
      List<ScopeContent> scopes =
          board.with(blackboards -> ScopeContent.list(blackboards, tenant, after, most));
      Optional<String> next =
          scopes.size() < most ? Optional.empty() : Optional.of(scopes.getLast().scope().path());
      return json.page(
          ScopePage.of(scopes, next),
          scopes,
          "no scopes",
          BoardText::scopes,
          next.map("there may be more: --after "::concat));
    }
  }

  @Command(
      name = "get",
      description = {
        "Shows an entry, or the entries of a scope.",
        "Long values are cut, except with --json.",
      })
  static final class BoardGetCommand extends StoreCommand {

    @Mixin private EntryParameter on;

    @Option(
        names = "--keys",
        paramLabel = "GLOB",
        description = "Entries whose key matches, with * and ? (default: all).")
    private KeyGlob keys;

    @Option(
        names = "--tag",
        paramLabel = "T",
        converter = Words.Tag.class,
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
        converter = Words.Key.class,
        description = "Where the page before ended, as it said.")
    private String cursor;

    @Override
    public Integer call() {
      if (on.key.isEmpty()) {
        return page();
      }
      String key = on.key.get();
      if (keys != null || !tags.isEmpty() || limit != null || cursor != null) {
        throw CommandFailure.badInput(
            "KEY names one entry: leave out --keys, --tag, --limit, --cursor");
      }
      Entry found =
          board
              .ask(on.scope, opened -> opened.read(key))
              .orElseThrow(
                  () -> CommandFailure.unsuccessful("no entry " + key + " in " + on.scope));
      return json.print(EntryView.of(found), () -> BoardText.entry(found));
    }

    private int page() {
      int most = CommandOptions.checkLimit(limit == null ? Query.DEFAULT_LIMIT : limit);
      EntryPage page =
          board.with(blackboards -> page(blackboards.open(on.scope, BoardOptions.WRITER), most));
      return json.lines(
          EntryViewPage.of(page),
          page.entries(),
          "no entries",
          BoardText::entryLine,
          page.next()
              .map(after -> "there are more: --cursor \"" + Printable.of(after.afterKey()) + "\""));
    }

    /** A page of the backend may be short and yet have a next one; a person's is not. */
    private EntryPage page(Blackboard opened, int most) {
      Query query =
          Query.keys(keys == null ? "*" : keys.pattern()).allTags(tags.toArray(String[]::new));
      Optional<Query.Cursor> next = Optional.ofNullable(cursor).map(Query.Cursor::new);
      List<Entry> entries = new ArrayList<>();
      do {
        Query rest = query.limit(most - entries.size());
        EntryPage page =
            opened.query(next.map(rest::from).orElse(rest)).toCompletableFuture().join();
        entries.addAll(page.entries());
        next = page.next();
      } while (entries.size() < most && next.isPresent());
      return new EntryPage(entries, next);
    }
  }

  @Command(
      name = "history",
      description = {
        "Shows the stored events of a scope, the oldest first.",
        "Of an entry: its own and those of the whole scope. Long values are cut, except with"
            + " --json.",
      })
  static final class BoardHistoryCommand extends StoreCommand {

    @Mixin private EntryParameter on;

    @Option(
        names = "--after",
        paramLabel = "POSITION",
        description = "The last one of the page before.")
    private Optional<Position> after;

    @Mixin private LimitOption limit;

    @Override
    public Integer call() {
      int most = limit.checked();
      EventFilter filter = on.key.map(EventFilter::keys).orElse(EventFilter.all());
      List<BlackboardEvent> events =
          board.ask(
              on.scope, opened -> opened.history(filter, after.orElse(Position.BEGINNING), most));
      Optional<String> next =
          events.size() < most
              ? Optional.empty()
              : Optional.of(events.getLast().position().toString());
      return json.lines(
          EventPage.of(events, next),
          events,
          "no events",
          BoardText::event,
          next.map("there may be more: --after "::concat));
    }
  }

  @Command(name = "put", description = "Writes an entry; its event reaches every subscriber of it.")
  static final class BoardPutCommand extends StoreCommand {

    @Mixin private ScopeParameter on;

    @Parameters(
        index = "1",
        paramLabel = "KEY",
        converter = Words.Key.class,
        description = "Relative to the scope.")
    private String key;

    @Parameters(
        index = "2",
        paramLabel = "VALUE",
        description = "JSON; - reads it from standard input; one like an option goes after --.")
    private String value;

    @Option(names = "--text", description = "VALUE is plain text, not JSON.")
    private boolean text;

    @Option(names = "--tag", paramLabel = "T", converter = Words.Tag.class)
    private Set<String> tags = Set.of();

    @Option(
        names = "--ttl",
        paramLabel = "D",
        description = "After how long the entry is gone, for example 90s or 2h (default: never).")
    private Duration ttl;

    @ArgGroup private Expected expected = new Expected();

    @Option(
        names = "--writer",
        paramLabel = "NAME",
        defaultValue = BoardOptions.WRITER,
        description = "Who the entry is written by (default: ${DEFAULT-VALUE}).")
    private String writer;

    /** What must be there for the write to happen. */
    private static final class Expected {

      @Option(
          names = "--expect",
          paramLabel = "VERSION",
          description = "Writes only if the entry has this version; 0: if it is absent.")
      private Long version;

      @Option(names = "--if-absent", description = "Writes only if there is no entry.")
      private boolean absent;
    }

    @Override
    public Integer call() {
      if (writer.isBlank()) {
        throw CommandFailure.badInput("--writer is empty");
      }
      int maxBytes = BlackboardSettings.fromConfig(board.config()).maxValueBytes();
      ValueInput input = new ValueInput(text, maxBytes);
      Write write = write(value.equals("-") ? input.read(System.in) : input.read(value));
      return report(
          board.with(blackboards ->
              // Only what the value is can be refused here: the rest is checked.
              BoardOptions.refusing(() -> blackboards.open(on.scope, writer).write(write))
                  .toCompletableFuture()
                  .join()));
    }

    private Write write(JsonNode node) {
      return BoardOptions.refusing(() -> {
        Write write = Write.of(key, node).tags(tags.toArray(String[]::new));
        if (ttl != null) {
          write = write.ttl(ttl);
        }
        if (expected.absent) {
          return write.ifAbsent();
        }
        return expected.version == null ? write : write.expectVersion(expected.version);
      });
    }

    private int report(WriteResult result) {
      ObjectNode form = JsonNodeFactory.instance.objectNode().put("key", key);
      return switch (result) {
        case WriteResult.Written written -> {
          form.put("version", written.version()).put("position", written.position().toString());
          System.out.println(
              json.given()
                  ? Printable.line(form)
                  : "version %d at %s".formatted(written.version(), written.position()));
          yield ExitCode.OK.status();
        }
        case WriteResult.VersionConflict conflict -> {
          if (json.given()) {
            System.out.println(Printable.line(form.put("actualVersion", conflict.actualVersion())));
          }
          throw CommandFailure.unsuccessful(
              conflict.actualVersion() == 0
                  ? "nothing was written: " + key + " is absent"
                  : "nothing was written: %s has version %d"
                      .formatted(key, conflict.actualVersion()));
        }
      };
    }
  }

  /** The entry that a command shows; without, all of the scope. */
  private static final class EntryParameter extends ScopeParameter {
    @Parameters(
        index = "1",
        arity = "0..1",
        paramLabel = "KEY",
        converter = Words.Key.class,
        description = "Of one entry, relative to the scope.")
    private Optional<String> key;
  }
}
