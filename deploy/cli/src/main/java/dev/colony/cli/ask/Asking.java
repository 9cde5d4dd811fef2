package dev.colony.cli.ask;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.client.RunHandle.OnEach;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.cli.ask.AnswerPrinter.AnswerWatch;
import dev.colony.cli.ask.AskRecord.AskBudget;
import dev.colony.cli.ask.AskRecord.AskPolicy;
import dev.colony.cli.ask.Document.Coverage;
import dev.colony.cli.ask.Document.Links;
import dev.colony.cli.local.Cluster;
import dev.colony.cli.local.Cluster.WaitingCalls;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.Printable;
import dev.colony.cli.terminal.Progress;
import dev.colony.library.research.Answer;
import dev.colony.library.research.Evidence;
import dev.colony.library.research.Question.Exchange;
import dev.colony.library.research.ResearchTypes;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.mapping.MappingResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks a question of a cluster and follows the run to its answer. Its methods block. */
public record Asking(Cluster cluster, Progress progress) {

  private static final Logger LOG = LoggerFactory.getLogger(Asking.class);

  /** Whose agents a local command line runs. */
  public static final String TENANT = "local";

  /** The colony of a local command line. */
  public static final String COLONY = "default";

  /** To whom is attributed what the command writes. */
  public static final String WRITER = "colony-run";

  private static final String NAMESPACE = "research";

  /** How long the last parts of a reply may come after the run's end. */
  private static final Duration LAST_PARTS = Duration.ofMillis(500);

  /** How long a person waits for the first of an answer before the hits are shown. */
  private static final Duration SILENT = Duration.ofSeconds(20);

  static final String COORDINATOR = "coordinator-";

  public static AgentId coordinator(RunId run) {
    return new AgentId(TENANT, COLONY, COORDINATOR + run.value());
  }

  /**
   * Stores the pages of a source, where they are not.
   *
   * @throws CommandFailure if the source has changed meanwhile
   */
  public Asked stored(String source, Mapper.Again again) {
    MappingResult.Mapped mapping = again.mapped();
    PageMap map = mapping.map();
    Optional<PageMap> before =
        again.before().filter(id -> !id.equals(map.id())).flatMap(id -> cluster.pages().map(id));
    PageStore.SaveOptions options = new PageStore.SaveOptions(before, Optional.empty());
    Mapper.unchanged(
        mapping,
        () -> {
          cluster.pages().save(map, mapping.pages(), options);
          return map;
        });
    Path directory = Path.of(source);
    String from =
        Files.isDirectory(directory) ? directory.toAbsolutePath().normalize().toString() : source;
    return new Asked(
        from, map.id(), map.pages(), mapping.skipped().counts(), Optional.empty(), List.of());
  }

  /**
   * What a question is asked of, which is stored.
   *
   * @param source for people
   * @param map the id of its page map
   * @param pages of the map
   * @param leftOut how many files of the source are not in it, by reason; empty where the map was
   *     stored before
   * @param follows the run that the question goes on from
   * @param earlier what was asked and answered before
   */
  public record Asked(
      String source,
      String map,
      int pages,
      Map<String, Integer> leftOut,
      Optional<String> follows,
      List<Exchange> earlier) {}

  /** Asks of a map that is stored; from here on the run survives this process. */
  public AskRecord submit(
      RunId runId,
      String question,
      Asked of,
      AskRecord.StartedWith startedWith,
      AskPolicy policy,
      Optional<AskBudget> budget) {
    InstantSource clock = cluster.blackboards().clock();
    AskRecord asked =
        new AskRecord(
            runId.value(),
            question,
            of.source(),
            of.map(),
            of.pages(),
            of.leftOut(),
            clock.millis(),
            startedWith,
            policy,
            of.follows(),
            of.earlier(),
            budget.map(most -> most.from(clock.instant())),
            Optional.empty(),
            0);
    begin(asked);
    return asked;
  }

  private void begin(AskRecord asked) {
    asked.save(cluster.blackboards());
    // Where the map's index is in memory, once it was asked about.
    cluster.colonyOf(asked.map()).spawn(asked.coordinator(), asked.policy().coordinator()).join();
  }

  /** What is gone on with: a run that has failed is asked from its beginning. */
  public AskRecord resumed(AskRecord asked) {
    Optional<AgentRun> failed =
        cluster
            .colony()
            .agent(asked.coordinator())
            .ended(asked.asked(), options(asked))
            .join()
            .filter(run -> run.status() == AgentRun.Status.FAILED);
    if (failed.isEmpty()) {
      return asked;
    }
    progress.note(
        "run %s failed: %s; it is asked from its beginning"
            .formatted(asked.runId(), failed.get().error().orElse("")));
    AskRecord again = asked.again();
    begin(again);
    return again;
  }

  private static RunOptions options(AskRecord asked) {
    RunOptions options = RunOptions.namespace(NAMESPACE).runId(asked.asked()).requestedBy(WRITER);
    return asked.budget().map(options::budget).orElse(options);
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
    RunHandle handle =
        cluster.colony().agent(asked.coordinator()).run(asked.input(), options(asked));
    AnswerPrinter printer = new AnswerPrinter(asked.coordinator(), progress::text);
    SilentModel hits =
        new SilentModel(
            () -> printer.printed().isEmpty() && !handle.result().toCompletableFuture().isDone(),
            progress::note,
            (time, action) ->
                CompletableFuture.delayedExecutor(time.toMillis(), TimeUnit.MILLISECONDS)
                    .execute(action));
    CompletableFuture<Boolean> heard =
        OnEach.of(
                handle.events(),
                event -> {
                  show(event);
                  if (progress.live()) {
                    hits.take(event);
                  }
                  events.accept(event);
                })
            .handle((end, failure) -> {
              if (failure != null) {
                // Without its events the run goes on; only the display stands still.
                LOG.warn("the progress of run {} cannot be followed", asked.runId(), failure);
              }
              return failure == null;
            });
    CompletableFuture<Boolean> shown = CompletableFuture.completedFuture(true);
    if (progress.live()) {
      AnswerWatch answers = new AnswerWatch();
      shown =
          OnEach.of(
                  handle.parts(),
                  part -> {
                    answers.take(part);
                    progress.detail(answers.line());
                    printer.take(part);
                  })
              .handle((end, failure) -> failure == null);
    }
    AgentRun run = await(handle);
    long wallMillis = watch.elapsed().toMillis();
    if (run.status() == AgentRun.Status.FAILED) {
      throw CommandFailure.unsuccessful(
          "run " + asked.runId() + " failed: " + run.error().orElse(""));
    }
    heard.join();
    AskReport report = AskReport.of(asked, run, cluster.nodes(), wallMillis);
    asked.answered(report.answer()).save(cluster.blackboards());
    shown.completeOnTimeout(false, LAST_PARTS.toMillis(), TimeUnit.MILLISECONDS).join();
    int analysts = report.answer().analysts();
    if (analysts > 0) {
      progress.done("asking", analysts + (analysts == 1 ? " analyst" : " analysts"));
    }
    return report.printed(printer.printed());
  }

  /** An answer as a document, for a report in a file. */
  public Document document(AskRecord asked, AskReport report, ReportFile file) {
    Optional<Coverage> coverage =
        cluster
            .pages()
            .map(asked.map())
            .map(map ->
                Coverage.of(
                    map,
                    cluster.pages().lines(map),
                    report.answer().read(),
                    report.answer().citations().stream().map(Evidence::file).toList()));
    Path directory = Path.of(asked.source().replaceFirst("^file:", ""));
    return report.document(
        asked,
        coverage,
        Files.isDirectory(directory) ? Links.between(file.path(), directory) : Links.NONE);
  }

  private static AgentRun await(RunHandle handle) {
    try {
      return handle.result().toCompletableFuture().join();
    } catch (CompletionException failure) {
      throw CommandFailure.unsuccessful(
          "run " + handle.runId() + ": " + failure.getCause().getMessage(), failure);
    }
  }

  private void show(RunProgress event) {
    switch (event.name()) {
      case ResearchTypes.ANSWERED ->
          progress.at(
              "asking", event.data().path("done").asLong(), event.data().path("of").asLong());
      case ResearchTypes.SEARCHED ->
          progress.at("choosing among %s places".formatted(event.data().path("places")), 0, 0);
      case ResearchTypes.READS ->
          progress.at("reading %s places".formatted(event.data().path("places")), 0, 0);
      case ResearchTypes.LOOKS ->
          progress.at(
              "looking", event.data().path("turn").asLong(), event.data().path("of").asLong());
      default -> {}
    }
  }

  /** Shows once what a search has found where after 20 s nothing of the answer is there. */
  static final class SilentModel {

    private final BooleanSupplier silent;
    private final Consumer<String> person;
    private final BiConsumer<Duration, Runnable> after;
    private boolean waits;

    /**
     * @param silent whether nothing of an answer has come
     * @param after does something when so much time has passed
     */
    SilentModel(
        BooleanSupplier silent, Consumer<String> person, BiConsumer<Duration, Runnable> after) {
      this.silent = silent;
      this.person = person;
      this.after = after;
    }

    /** Is told what the run makes known. */
    synchronized void take(RunProgress event) {
      if (waits || !event.name().equals(ResearchTypes.SEARCHED)) {
        return;
      }
      waits = true;
      List<Answer.Hit> hits = new ArrayList<>();
      for (JsonNode hit : event.data().path("hits")) {
        hits.add((Answer.Hit) JsonValues.read(hit, Answer.Hit.class));
      }
      after.accept(
          SILENT,
          () -> {
            if (silent.getAsBoolean()) {
              person.accept(
                  "the model goes on; the search has found:\n"
                      + Printable.lines(AskReport.places(hits)).stripTrailing());
            }
          });
    }
  }

  /** Says what is waited for while a model server gives no answer. */
  public static final class ModelWatch implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ModelWatch.class);
    private static final int LOOKS_PER_NOTICE = 4;

    private final Supplier<List<WaitingCalls>> calls;
    private final Duration notice;
    private final Duration deadline;
    private final Consumer<String> person;
    private final ScheduledExecutorService looks =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("model-watch").factory());
    private Duration said = Duration.ZERO;

    /**
     * Begins to look; {@link #start} does so by itself from time to time.
     *
     * @param notice how long a server may be silent, and how much longer until it is said again
     * @param deadline after which a call is given up
     */
    ModelWatch(
        Supplier<List<WaitingCalls>> calls,
        Duration notice,
        Duration deadline,
        Consumer<String> person) {
      this.calls = calls;
      this.notice = notice;
      this.deadline = deadline;
      this.person = person;
    }

    /** One that looks until it is closed. */
    public static ModelWatch start(
        Supplier<List<WaitingCalls>> calls,
        Duration notice,
        Duration deadline,
        Consumer<String> person) {
      ModelWatch watch = new ModelWatch(calls, notice, deadline, person);
      long every = Math.max(1, notice.toMillis() / LOOKS_PER_NOTICE);
      watch.looks.scheduleWithFixedDelay(watch::safely, every, every, TimeUnit.MILLISECONDS);
      return watch;
    }

    private void safely() {
      try {
        look();
      } catch (RuntimeException unknown) {
        LOG.debug("what is waited for is not known", unknown);
      }
    }

    /** Says what is waited for, if it is time to. */
    void look() {
      List<WaitingCalls> waiting = calls.get();
      Optional<WaitingCalls> longest =
          waiting.stream().max(Comparator.comparing(WaitingCalls::silent));
      Duration oldest = longest.map(WaitingCalls::silent).orElse(Duration.ZERO);
      if (oldest.compareTo(said) < 0) {
        said = Duration.ZERO;
      }
      if (longest.isEmpty() || oldest.compareTo(said.plus(notice)) < 0) {
        return;
      }
      said = oldest;
      String server = longest.get().server();
      int calls =
          waiting.stream()
              .filter(one -> one.server().equals(server))
              .mapToInt(WaitingCalls::calls)
              .sum();
      person.accept(
          "waiting for %s: no answer to %d call%s for %d s, giving up after %d s"
              .formatted(
                  server, calls, calls == 1 ? "" : "s", oldest.toSeconds(), deadline.toSeconds()));
    }

    @Override
    public void close() {
      looks.shutdownNow();
    }
  }
}
