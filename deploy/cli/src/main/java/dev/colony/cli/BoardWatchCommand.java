package dev.colony.cli;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.EventType;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.cli.CommandOptions.ScopeParameter;
import dev.colony.cli.terminal.BoardText;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.OnExit;
import dev.colony.cli.terminal.Printable;
import dev.colony.cli.terminal.Watcher;
import dev.colony.cli.terminal.Watcher.Acknowledger;
import dev.colony.client.wire.WireJson;
import dev.colony.server.BoardViews.BoardEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "watch",
    description = {
      "Prints the events of a scope as they happen, a line each, until Ctrl-C.",
      "Several kinds of filters hold all at once. Long values are cut, except with --json.",
    })
final class BoardWatchCommand implements Callable<Integer> {

  private static final Duration SETTLE_PATIENCE = Duration.ofSeconds(2);

  @Mixin private ScopeParameter on;

  @Option(
      names = "--keys",
      paramLabel = "GLOB",
      description = "Of entries whose key matches one of these, with * and ?.")
  private List<KeyGlob> keys = List.of();

  @Option(names = "--type", description = "One of ${COMPLETION-CANDIDATES}, or several.")
  private Set<EventType> types = Set.of();

  @Option(
      names = "--tag",
      paramLabel = "T",
      converter = Words.Tag.class,
      description = "Of entries that carry it; given several times, every one.")
  private Set<String> tags = Set.of();

  @Option(names = "--writer", paramLabel = "NAME", description = "By one of these.")
  private Set<String> writers = Set.of();

  @Option(
      names = "--from",
      paramLabel = "WHERE",
      defaultValue = "now",
      description = "now, beginning or a POSITION to begin after (default: ${DEFAULT-VALUE}).")
  private SubscribeFrom.Start from;

  @Option(
      names = "--durable",
      paramLabel = "NAME",
      description = {
        "Goes on where the watch of this name ended, and acknowledges what it has printed.",
        "--from says where the first one begins.",
      })
  private String durable;

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "Ends after so many events (default: never).")
  private Long count;

  @Option(names = "--json", description = "Prints a JSON object for each event instead of text.")
  private boolean json;

  @Mixin private BoardOptions board;

  @Override
  public Integer call() {
    if (count != null && count < 1) {
      throw CommandFailure.badInput("--count is %d, but must be at least 1".formatted(count));
    }
    SubscribeFrom start =
        durable == null
            ? from
            : BoardOptions.refusing(() -> new SubscribeFrom.Durable(durable, from));
    return board
        .with(blackboards -> watch(blackboards.open(on.scope, BoardOptions.WRITER), start))
        .status();
  }

  private ExitCode watch(Blackboard opened, SubscribeFrom start) {
    Optional<Acknowledger> acknowledger =
        Optional.ofNullable(durable)
            .map(name -> new Acknowledger(position -> opened.acknowledge(name, position)));
    Function<BlackboardEvent, String> form =
        json ? event -> Printable.line(WireJson.write(BoardEvent.of(event))) : BoardText::event;
    long most = count == null ? Long.MAX_VALUE : count;
    Watcher watcher =
        new Watcher(
            most,
            form,
            System.out,
            position -> acknowledger.ifPresent(one -> one.done(position)),
            BoardOptions::note);
    Runnable end =
        () -> {
          watcher.stop();
          acknowledger.ifPresent(one -> one.settle(SETTLE_PATIENCE));
        };
    OnExit onExit = OnExit.run(end);
    try {
      opened.subscribe(filter(), start).subscribe(watcher);
      long printed = watcher.ended().join();
      acknowledger
          .filter(one -> !one.settle(SETTLE_PATIENCE))
          .ifPresent(one -> BoardOptions.note("not all of it could be acknowledged"));
      return printed == most ? ExitCode.OK : ExitCode.UNSUCCESSFUL;
    } finally {
      onExit.close();
    }
  }

  private EventFilter filter() {
    List<EventFilter> filters = new ArrayList<>();
    if (!keys.isEmpty()) {
      filters.add(
          new EventFilter.Or(keys.stream().<EventFilter>map(EventFilter.Keys::new).toList()));
    }
    if (!types.isEmpty()) {
      filters.add(new EventFilter.Types(types));
    }
    tags.forEach(tag -> filters.add(EventFilter.tag(tag)));
    if (!writers.isEmpty()) {
      filters.add(new EventFilter.Writers(writers));
    }
    return new EventFilter.And(filters);
  }
}
