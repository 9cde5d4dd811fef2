package dev.colony.cli.ask;

import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import dev.colony.agent.client.OnEach;
import dev.colony.agent.client.RunHandle;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.Cluster;
import dev.colony.cli.terminal.Progress;
import dev.colony.library.research.ResearchTypes;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.grouping.MappingResult;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks a question of a cluster and follows the run to its answer. Its methods block. */
public final class Asking {

  private static final Logger LOG = LoggerFactory.getLogger(Asking.class);

  /** Whose agents a local command line runs. */
  public static final String TENANT = "local";

  /** The colony of a local command line. */
  public static final String COLONY = "default";

  private static final String NAMESPACE = "research";

  private final Cluster cluster;
  private final Progress progress;

  public Asking(Cluster cluster, Progress progress) {
    this.cluster = cluster;
    this.progress = progress;
  }

  /** Stores the pages and asks; from here on the run survives this process. */
  public AskRecord submit(
      RunId runId,
      String question,
      String source,
      MappingResult.Mapped mapping,
      AskRecord.StartedWith startedWith,
      AskPolicy policy) {
    Mapper.Again first = new Mapper.Again(mapping, Optional.empty());
    return submit(runId, question, source, first, startedWith, policy);
  }

  /** The same, where pages of an earlier map of the source may be stored. */
  public AskRecord submit(
      RunId runId,
      String question,
      String source,
      Mapper.Again again,
      AskRecord.StartedWith startedWith,
      AskPolicy policy) {
    MappingResult.Mapped mapping = again.mapped();
    Optional<PageMap> before =
        again
            .before()
            .filter(id -> !id.equals(mapping.map().id()))
            .flatMap(id -> cluster.pages().map(id).toCompletableFuture().join());
    Mapper.unchanged(
        mapping,
        () ->
            cluster
                .pages()
                .save(
                    mapping.map(),
                    mapping.pages(),
                    new PageStore.SaveOptions(before, Optional.empty()))
                .toCompletableFuture()
                .join());
    AskRecord asked =
        new AskRecord(
            runId.value(),
            question,
            source,
            mapping.map().id(),
            mapping.map().pages(),
            cluster.blackboards().clock().millis(),
            startedWith,
            policy);
    asked.save(cluster.blackboards());
    cluster.colony().spawn(asked.coordinator(), policy.coordinator()).join();
    return asked;
  }

  /**
   * Waits for the answer, however long it takes and whichever nodes die.
   *
   * @throws CommandFailure if the run ends without one
   */
  public AskReport follow(AskRecord asked, Stopwatch watch) {
    return follow(asked, watch, event -> {});
  }

  /**
   * As above.
   *
   * @param events is told what the coordinator's run makes known, all of it before this returns;
   *     less where it cannot be followed, which the log says
   */
  public AskReport follow(AskRecord asked, Stopwatch watch, Consumer<RunProgress> events) {
    RunOptions options =
        RunOptions.namespace(NAMESPACE).runId(new RunId(asked.runId())).requestedBy("colony-run");
    RunHandle handle = cluster.colony().agent(asked.coordinator()).run(asked.input(), options);
    CompletableFuture<Boolean> heard =
        OnEach.of(
                handle.events(),
                event -> {
                  show(event);
                  events.accept(event);
                })
            .handle((end, failure) -> {
              if (failure != null) {
                // Without its events the run goes on; only the display stands still.
                LOG.warn("the progress of run {} cannot be followed", asked.runId(), failure);
              }
              return failure == null;
            });
    if (progress.live()) {
      AnswerWatch answers = new AnswerWatch();
      OnEach.of(
          handle.parts(),
          part -> {
            answers.take(part);
            progress.detail(answers.line());
          });
    }
    AgentRun run = await(handle);
    long wallMillis = watch.elapsed().toMillis();
    if (run.status() == AgentRun.Status.FAILED) {
      throw new CommandFailure(
          ExitCode.UNSUCCESSFUL, "run " + run.runId() + " failed: " + run.error().orElse(""));
    }
    heard.join();
    AskReport report = AskReport.of(asked, run, cluster.nodes(), wallMillis);
    progress.done("asking", report.answer().analysts() + " analysts");
    return report;
  }

  private static AgentRun await(RunHandle handle) {
    try {
      return handle.result().toCompletableFuture().join();
    } catch (CompletionException failure) {
      throw new CommandFailure(
          ExitCode.UNSUCCESSFUL,
          "run " + handle.runId() + ": " + failure.getCause().getMessage(),
          failure);
    }
  }

  private void show(RunProgress event) {
    if (event.name().equals(ResearchTypes.ANSWERED)) {
      progress.at("asking", event.data().path("done").asLong(), event.data().path("of").asLong());
    }
  }
}
