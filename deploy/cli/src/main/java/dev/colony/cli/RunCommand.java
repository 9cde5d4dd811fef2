package dev.colony.cli;

import com.typesafe.config.Config;
import dev.colony.agent.RunId;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.blackboard.settings.Settings;
import dev.colony.cli.CommandOptions.ClusterOptions;
import dev.colony.cli.CommandOptions.JsonOption;
import dev.colony.cli.CommandOptions.StateOption;
import dev.colony.cli.RunSource.RunModel;
import dev.colony.cli.ask.AskRecord;
import dev.colony.cli.ask.AskRecord.AskBudget;
import dev.colony.cli.ask.AskRecord.AskPolicy;
import dev.colony.cli.ask.AskReport;
import dev.colony.cli.ask.Asking;
import dev.colony.cli.ask.Asking.ModelWatch;
import dev.colony.cli.ask.ReportFile;
import dev.colony.cli.local.Cluster;
import dev.colony.cli.local.ClusterLauncher;
import dev.colony.cli.local.CommandConfig;
import dev.colony.cli.local.CommandConfig.RunSettings;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.local.UpRecord;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.OnExit;
import dev.colony.cli.terminal.Printable;
import dev.colony.cli.terminal.Progress;
import dev.colony.node.entity.AgentSettings;
import dev.colony.vcm.mapping.FileSearch;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "run",
    description = {
      "Answers a question about a source tree, with citations.",
      "Uses the cluster that is up in the state directory, or starts one for this run. Without a"
          + " model it is a search, which starts nothing.",
    })
final class RunCommand implements Callable<Integer> {

  /**
   * How many questions before it, with their answers, a question knows that follows another run.
   */
  private static final int EARLIER_QUESTIONS = 5;

  @Parameters(
      arity = "0..1",
      paramLabel = "SOURCE",
      description =
          "The directory to ask about, or another source, see colony pages map --help; or"
              + " the id of a map, see colony pages maps.")
  private String source;

  @Option(names = "--ask", paramLabel = "QUESTION", description = "In plain words.")
  private String question;

  @Option(
      names = "--follow",
      paramLabel = "RUN",
      description =
          "Asks the question of what an earlier run was asked of, and goes on from its"
              + " questions, answers and evidence; nothing is mapped again.")
  private String follow;

  @Option(
      names = "--resume",
      paramLabel = "RUN",
      description =
          "Goes on with a run that was interrupted, with the SOURCE, the question, the"
              + " model and the number of nodes that it had; --nodes, and --model-url where the"
              + " same model is served, replace what it had for good.")
  private String resume;

  @Option(
      names = "--other-model",
      description = "Lets --resume go on with another model than the run was started with.")
  private boolean otherModel;

  @Option(
      names = "--policy",
      paramLabel = "NAME",
      description =
          "How the question is answered: read (a search, of whose places a model reads a few:"
              + " the default with a model), research (analysts read whole pages), or by what a"
              + " model decides: minimal (one action at a time), cache-aware (a plan), code (a"
              + " program).")
  private Optional<AskPolicy> policy = Optional.empty();

  @Option(
      names = "--model",
      paramLabel = "NAME",
      description =
          "Which model answers: one of colony.inference.models, or of those that the"
              + " server of --model-url lists (default: colony.inference.default-model,"
              + " COLONY_MODEL or the first).")
  private Optional<String> model = Optional.empty();

  @Option(
      names = "--budget",
      paramLabel = "B",
      description =
          "What the model calls of the run may take: tokens, as 200k, money, as 1.50usd,"
              + " or time, as 5m. A run that has spent it ends with what it has.")
  private Optional<AskBudget> budget = Optional.empty();

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description =
          "Writes a report too, as Markdown or HTML by the ending .md or .html: the answer"
              + " with links to the lines it rests on, what was read, and what it took.")
  private Optional<Path> report = Optional.empty();

  @Option(
      names = "--survey",
      description =
          "Has analysts read all pages that fit, for a question about a whole corpus: --policy"
              + " research. Without a model the embedded replica reads them, and --resume,"
              + " --policy, --nodes, --budget and --report have it do so, too.")
  private boolean survey;

  @Option(
      names = "--hits",
      paramLabel = "N",
      description =
          "How many places a search without a model shows, 1 to 100 (default: those that stand"
              + " out, at most 10).")
  private Integer hits;

  @Mixin private JsonOption json;

  @Mixin private ClusterOptions clusterOptions;
  @Mixin private StateOption stateOption;

  @Override
  public Integer call() {
    Stopwatch started = Stopwatch.start();
    checkInput();
    Optional<ReportFile> file = report.map(ReportFile::of);
    Optional<RunId> resumed = Optional.ofNullable(resume).map(id -> runId("--resume", id));
    RunId runId = resumed.orElseGet(RunNames::next);
    try (InterruptGuard guard = new InterruptGuard(runId, resumed.isPresent(), again())) {
      StateDirectory state = stateOption.open();
      CommandLog.into(state, "run");
      Config plain = CommandConfig.base(clusterOptions.config());
      model = resume != null ? model : clusterOptions.settle(state, plain, model);
      Optional<Path> settingsFile = new RunModel(state, plain, clusterOptions, model).settings();
      Config config = model.isEmpty() ? plain : CommandConfig.base(settingsFile);
      if (!surveys() && !hasModel(state, config)) {
        return search(config, started).status();
      }
      if (hits != null) {
        throw CommandFailure.badInput(
            "--hits is for a search without a model and without --survey: leave it out");
      }
      if (budget.isPresent() && budget.get().cost().isPresent()) {
        ModelCheck.priced(config, state);
      }
      RunSettings settings = RunSettings.fromConfig(config);
      AskReport answered = answer(runId, guard, state, config, settingsFile, started, file);
      boolean whole = answered.unreadShare() <= settings.mostUnread();
      if (!whole) {
        System.err.println(
            "colony: %s; more than colony.run.most-unread (%s)"
                .formatted(answered.unread(), settings.mostUnread()));
      }
      return (answered.answered() && whole ? ExitCode.OK : ExitCode.UNSUCCESSFUL).status();
    }
  }

  /** Whether a run is asked for, with a model or without. */
  private boolean surveys() {
    return survey
        || resume != null
        || policy.isPresent()
        || budget.isPresent()
        || report.isPresent()
        || clusterOptions.nodesGiven();
  }

  /** Whether there is a model to answer: this is where one that is found by itself comes in. */
  private boolean hasModel(StateDirectory state, Config config) {
    if (clusterOptions.modelGiven()) {
      return clusterOptions.modelUrl().isPresent();
    }
    return UpRecord.find(state)
        .map(up -> !up.modelUrl().isEmpty() || !isEmbedded(up.model()))
        .orElseGet(() -> !isEmbedded(Optional.of(configured(config))));
  }

  private static String configured(Config config) {
    return ModelCheck.asked(Optional.empty(), config, "--config:", said -> {});
  }

  private static boolean isEmbedded(Optional<String> named) {
    return named.map(ModelCheck.EMBEDDED::equals).orElse(true);
  }

  private ExitCode search(Config config, Stopwatch started) {
    if (follow != null) {
      throw CommandFailure.badInput(
          "--follow needs a model, for a search knows nothing of an earlier one: give --model-url,"
              + " or --survey for the embedded replica");
    }
    OptionalInt wanted =
        hits == null
            ? OptionalInt.empty()
            : OptionalInt.of(CommandOptions.check("--hits", hits, 1, FileSearch.MOST_HITS));
    return new CodeSearch(config, clusterOptions.noModel(), json.given(), CodeSearch.marks())
        .of(source, question.strip(), wanted, started);
  }

  private AskReport answer(
      RunId runId,
      InterruptGuard guard,
      StateDirectory state,
      Config config,
      Optional<Path> settingsFile,
      Stopwatch started,
      Optional<ReportFile> file) {
    try (Progress progress = Progress.onStandardError(!json.given())) {
      progress.at("starting", 0, 0);
      ModelCheck.Model asked =
          resume != null
              ? new ModelCheck.Model("", OptionalLong.empty())
              : ModelCheck.model(clusterOptions.modelUrl(), config, "--model-url:", progress::note);
      RunSource about =
          new RunSource(
              resume != null || follow != null ? Optional.empty() : Optional.of(source),
              asked.paged(config),
              state,
              progress);
      about.mapEarly();
      ClusterLauncher launcher = new ClusterLauncher(state, settingsFile, config, progress::note);
      RunCluster clusters =
          new RunCluster(state, config, clusterOptions, launcher, otherModel, progress::note);
      progress.at("starting", 0, 0);
      try (Cluster cluster = resume != null ? clusters.resumed(runId) : clusters.fresh(runId)) {
        Asking asking = new Asking(cluster, progress);
        AskRecord.StartedWith with = clusters.startedWith(cluster, asked.name());
        boolean model = !with.served().equals(Optional.of(ModelCheck.EMBEDDED));
        AskRecord record =
            resume != null
                ? asking.resumed(clusters.find(cluster.blackboards(), runId))
                : asking.submit(
                    runId,
                    question.strip(),
                    follow != null ? followed(clusters, cluster) : about.of(cluster),
                    with,
                    policy.orElse(survey ? AskPolicy.RESEARCH : AskPolicy.usual(model)),
                    budget);
        guard.resumable();
        ModelWatch watch =
            ModelWatch.start(
                cluster::waiting,
                RunSettings.fromConfig(config).waitingNotice(),
                Settings.read(AgentSettings.class, config).modelCallDeadline(),
                progress::note);
        AskReport answered;
        try {
          answered = asking.follow(record, started);
        } finally {
          watch.close();
        }
        // Before anything is ended, which takes a while that the user need not wait for.
        System.out.println(json.given() ? answered.toJson() : Printable.lines(answered.toText()));
        file.ifPresent(to -> to.write(asking.document(record, answered, to)));
        // From here on there is nothing to go on with.
        guard.close();
        return answered;
      }
    }
  }

  private Asking.Asked followed(RunCluster clusters, Cluster cluster) {
    RunId before = runId("--follow", follow);
    AskRecord earlier = clusters.find(cluster.blackboards(), before);
    if (earlier.answered().isEmpty()) {
      throw CommandFailure.badInput(
          "run %s has no answer to follow: colony run --resume %s goes on with it"
              .formatted(before, before));
    }
    return new Asking.Asked(
        earlier.source(),
        earlier.map(),
        earlier.pages(),
        earlier.leftOut(),
        Optional.of(before.value()),
        earlier.exchanges(EARLIER_QUESTIONS));
  }

  private void checkInput() {
    clusterOptions.nodes();
    if (survey && policy.filter(other -> other != AskPolicy.RESEARCH).isPresent()) {
      throw CommandFailure.badInput("--survey is --policy research: leave one of them out");
    }
    if (otherModel && resume == null) {
      throw CommandFailure.badInput("--other-model is for --resume");
    }
    if (resume != null) {
      if (source != null
          || question != null
          || follow != null
          || policy.isPresent()
          || budget.isPresent()) {
        throw CommandFailure.badInput(
            "--resume knows the source, the question, the policy and the budget: leave them out");
      }
      return;
    }
    if (follow != null && source != null) {
      throw CommandFailure.badInput("--follow knows the source: leave it out");
    }
    if (follow == null && source == null) {
      throw CommandFailure.badInput("give a SOURCE to ask about");
    }
    if (question == null || question.isBlank()) {
      throw CommandFailure.badInput("the question is empty: give one with --ask \"...\"");
    }
  }

  /** The options that a command which goes on with the run has to have. */
  private String again() {
    return stateOption.again()
        + clusterOptions
            .config()
            .map(file -> " --config " + StateOption.word(file.toString()))
            .orElse("");
  }

  private static RunId runId(String option, String text) {
    try {
      return new RunId(text);
    } catch (IllegalArgumentException bad) {
      throw CommandFailure.badInput(option + ": " + bad.getMessage());
    }
  }

  /** On Ctrl-C or SIGTERM: says how to go on with a run. */
  static final class InterruptGuard implements AutoCloseable {

    private final OnExit onExit;
    private volatile boolean resumable;

    /**
     * @param stored whether the run was stored by an earlier command
     * @param again options that a command which goes on with it has to have
     */
    InterruptGuard(RunId runId, boolean stored, String again) {
      resumable = stored;
      onExit =
          OnExit.run(() ->
              OnExit.say(
                  resumable
                      ? "interrupted; go on with: colony run --resume " + runId + again
                      : "interrupted: the run had not begun, and nothing of it is stored; give the"
                          + " command again"));
    }

    void resumable() {
      resumable = true;
    }

    @Override
    public void close() {
      onExit.close();
    }
  }
}
