package dev.colony.cli;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.cli.board.BoardText;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.client.wire.WireJson;
import dev.colony.server.board.BoardViews.EventPage;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows stored events. */
@Command(
    name = "history",
    mixinStandardHelpOptions = true,
    description = {
      "Shows the stored events of a scope, the oldest first.",
      "Of an entry: its own and those of the whole scope. Long values are cut, except with --json.",
    })
final class BoardHistoryCommand implements Callable<Integer> {

  @Mixin private ScopeParameter on;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "KEY",
      converter = BoardWords.Key.class,
      description = "Of one entry, relative to the scope.")
  private Optional<String> key;

  @Option(
      names = "--after",
      paramLabel = "POSITION",
      converter = BoardWords.At.class,
      description = "The last one of the page before.")
  private Optional<Position> after;

  @Mixin private LimitOption limit;

  @Mixin private JsonOption json;

  @Mixin private BoardOptions board;

  @Override
  public Integer call() {
    int most = limit.checked();
    EventFilter filter = key.map(EventFilter::keys).orElse(EventFilter.all());
    List<BlackboardEvent> events =
        board.ask(
            on.scope(), opened -> opened.history(filter, after.orElse(Position.BEGINNING), most));
    Optional<String> next =
        events.size() < most
            ? Optional.empty()
            : Optional.of(events.getLast().position().toString());
    if (json.given()) {
      System.out.println(Printable.line(WireJson.write(EventPage.of(events, next))));
      return ExitCode.OK.status();
    }
    events.forEach(event -> System.out.println(BoardText.event(event)));
    if (events.isEmpty()) {
      System.out.println("no events");
    }
    next.ifPresent(position -> System.out.println("there may be more: --after " + position));
    return ExitCode.OK.status();
  }
}
