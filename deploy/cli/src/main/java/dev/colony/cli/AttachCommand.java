package dev.colony.cli;

import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.client.RunHandle.OnEach;
import dev.colony.blackboard.BlackboardException;
import dev.colony.cli.BoardOptions.ColonyOptions;
import dev.colony.cli.BoardOptions.ColonyOptions.ReachedColony;
import dev.colony.cli.CommandOptions.AgentParameter;
import dev.colony.cli.CommandOptions.RunOption;
import dev.colony.cli.terminal.AgentsText;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.OnExit;
import dev.colony.cli.terminal.Printable;
import dev.colony.cli.terminal.Progress;
import dev.colony.cli.terminal.RunFollower.ReplyPrinter;
import dev.colony.client.wire.WireJson;
import dev.colony.client.wire.WireJson.RunEvent;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "attach",
    description = {
      "Prints what a run has made known, and goes on to, a line each; the last one is its end.",
      "On a terminal, with what models are answering to its calls as they write it.",
      "The run goes on when this ends. Long values are cut, except with --json.",
    })
final class AttachCommand implements Callable<Integer> {

  @Mixin private AgentParameter agent;

  @Parameters(index = "1", paramLabel = "RUN")
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
    return reach.<ExitCode>reached(this::follow).status();
  }

  private ExitCode follow(ReachedColony cluster) {
    String namespace = where.namespace.orElseGet(() -> cluster.namespace(agent.id, run));
    RunHandle handle =
        cluster
            .colony()
            .agent(agent.id)
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
    AtomicReference<Optional<RunProgress>> last = new AtomicReference<>(Optional.empty());
    OnExit onExit =
        OnExit.run(() ->
            OnExit.say(
                last.get()
                    .map(event -> "go on with --after " + event.token())
                    .orElse("interrupted; the run goes on")));
    CompletableFuture<Void> answers =
        Progress.onTerminal()
            ? OnEach.of(handle.parts(), replies::take)
            : CompletableFuture.completedFuture(null);
    try {
      OnEach.of(
              events,
              event -> {
                replies.endLine();
                System.out.println(form.apply(event));
                if (System.out.checkError()) {
                  throw new CancellationException("standard output takes no more");
                }
                last.set(Optional.of(event));
              })
          .join();
      return last.get().flatMap(RunProgress::end);
    } catch (CancellationException full) {
      return Optional.empty();
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
