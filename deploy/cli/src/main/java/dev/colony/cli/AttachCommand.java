package dev.colony.cli;

import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.OnEach;
import dev.colony.agent.client.RunHandle;
import dev.colony.blackboard.BlackboardException;
import dev.colony.cli.agents.AgentsText;
import dev.colony.cli.agents.ReplyPrinter;
import dev.colony.cli.agents.RunWatcher;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.OnExit;
import dev.colony.cli.terminal.Printable;
import dev.colony.cli.terminal.Progress;
import dev.colony.client.http.HttpColony;
import dev.colony.client.wire.RunEvent;
import dev.colony.client.wire.WireJson;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import java.util.function.Function;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Follows a run to its end. */
@Command(
    name = "attach",
    mixinStandardHelpOptions = true,
    description = {
      "Prints what a run has made known, and goes on to, a line each; the last one is its end.",
      "On a terminal, with what models are answering to its calls as they write it.",
      "The run goes on when this ends. Long values are cut, except with --json.",
    })
final class AttachCommand implements Callable<Integer> {

  @Mixin private AgentParameter agent;

  @Parameters(index = "1", paramLabel = "RUN", converter = AgentWords.Run.class)
  private RunId run;

  @Mixin private RunOption where;

  @Option(
      names = "--after",
      paramLabel = "TOKEN",
      description = "Goes on behind an event, as --json and an interrupted attach name it.")
  private Optional<String> after;

  @Option(names = "--json", description = "Prints a JSON object for each event instead of text.")
  private boolean json;

  @Mixin private ColonyOptions reach;

  @Override
  public Integer call() {
    return reach
        .<ExitCode>with(
            api -> follow(api.colony(), () -> namespace(api)),
            (view, colony) -> follow(colony, () -> view.namespace(agent.id(), run)))
        .status();
  }

  private String namespace(ColonyOptions.Api api) {
    return HttpColony.find(api.url(), api.key(), api.config(), agent.id(), run).join().namespace();
  }

  private ExitCode follow(Colony colony, Supplier<String> found) {
    String namespace = where.namespace().orElseGet(found);
    RunHandle handle =
        colony
            .agent(agent.id())
            .attach(run, RunOptions.namespace(namespace).requestedBy(BoardOptions.WRITER));
    Optional<AgentRun> ended =
        print(
            after
                .map(token -> BoardOptions.refusing(() -> handle.events(token)))
                .orElseGet(handle::events),
            handle);
    return ended.filter(one -> one.status() != AgentRun.Status.COMPLETED).isEmpty()
        ? ExitCode.OK
        : ExitCode.UNSUCCESSFUL;
  }

  private Optional<AgentRun> print(Flow.Publisher<RunProgress> events, RunHandle handle) {
    Function<RunProgress, String> form =
        json ? event -> Printable.line(WireJson.write(RunEvent.of(event))) : AgentsText::progress;
    ReplyPrinter replies = new ReplyPrinter(System.err);
    RunWatcher watcher = new RunWatcher(form, System.out, replies::endLine);
    OnExit onExit =
        OnExit.run(() ->
            OnExit.say(
                watcher
                    .token()
                    .map(token -> "go on with --after " + token)
                    .orElse("interrupted; the run goes on")));
    CompletableFuture<Void> answers =
        Progress.onTerminal()
            ? OnEach.of(handle.parts(), replies::take)
            : CompletableFuture.completedFuture(null);
    try {
      events.subscribe(watcher);
      return watcher.ended().join();
    } catch (CompletionException failure) {
      if (failure.getCause() instanceof BlackboardException board
          && board.reason() == BlackboardException.Reason.EVENTS_LOST) {
        BoardOptions.note(board.getMessage());
        return print(handle.retained(), handle);
      }
      throw failure;
    } finally {
      answers.cancel(false);
      onExit.close();
    }
  }
}
