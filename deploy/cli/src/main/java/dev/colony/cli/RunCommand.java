package dev.colony.cli;

import com.typesafe.config.Config;
import dev.colony.agent.RunId;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.cli.ask.AskPolicy;
import dev.colony.cli.ask.AskRecord;
import dev.colony.cli.ask.AskReport;
import dev.colony.cli.ask.Asking;
import dev.colony.cli.ask.Mapper;
import dev.colony.cli.ask.ModelWatch;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.Cluster;
import dev.colony.cli.local.ClusterLauncher;
import dev.colony.cli.local.KeptMappings;
import dev.colony.cli.local.OnExit;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.settings.CommandConfig;
import dev.colony.cli.settings.RunSettings;
import dev.colony.cli.terminal.Progress;
import dev.colony.node.entity.AgentSettings;
import dev.colony.vcm.source.PageSources;
import dev.colony.vcm.source.SourceContext;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** Answers a question about a source tree. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    description = {
      "Answers a question about a source tree, with citations.",
      "Uses the cluster that is up in the state directory, or starts one for this run.",
    })
final class RunCommand implements Callable<Integer> {

  @Parameters(
      arity = "0..1",
      paramLabel = "SOURCE",
      description = "The directory to ask about, or another source, see colony pages map --help.")
  private String source;

  @Option(names = "--ask", paramLabel = "QUESTION", description = "In plain words.")
  private String question;

  @Option(
      names = "--resume",
      paramLabel = "RUN",
      description = {
        "Goes on with a run that was interrupted, with the SOURCE, the question, the model and the",
        "number of nodes that it had; --nodes, and --model-url where the same model is served,",
        "replace what it had for good.",
      })
  private String resume;

  @Option(
      names = "--other-model",
      description = "Lets --resume go on with another model than the run was started with.")
  private boolean otherModel;

  @Option(
      names = "--policy",
      paramLabel = "NAME",
      converter = Deciding.class,
      description = {
        "What decides for the coordinator: research (fixed steps, the default), or a model by",
        "minimal (one action at a time), cache-aware (a plan) or code (a program).",
      })
  private Optional<AskPolicy> policy = Optional.empty();

  @Mixin private JsonOption json;

  @Mixin private ClusterOptions clusterOptions;
  @Mixin private StateOption stateOption;

  @Override
  public Integer call() {
    Stopwatch started = Stopwatch.start();
    checkInput();
    Optional<RunId> resumed = Optional.ofNullable(resume).map(RunCommand::runId);
    RunId runId = resumed.orElseGet(RunNames::next);
    try (InterruptGuard guard = new InterruptGuard(runId, resumed.isPresent())) {
      StateDirectory state = stateOption.open();
      CommandLog.into(state, "run");
      Config config = CommandConfig.base(clusterOptions.config());
      RunSettings settings = RunSettings.fromConfig(config);
      AskReport report = answer(runId, guard, state, config, settings, started);
      boolean whole = report.unreadShare() <= settings.mostUnread();
      if (!whole) {
        System.err.println(
            "colony: %s; more than colony.run.most-unread (%s)"
                .formatted(report.unread(), settings.mostUnread()));
      }
      return (report.answered() && whole ? ExitCode.OK : ExitCode.UNSUCCESSFUL).status();
    }
  }

  private AskReport answer(
      RunId runId,
      InterruptGuard guard,
      StateDirectory state,
      Config config,
      RunSettings settings,
      Stopwatch started) {
    try (Progress progress = Progress.onStandardError()) {
      progress.at("starting", 0, 0);
      String model =
          resume != null
              ? ""
              : ModelCheck.asked(clusterOptions.modelUrl(), config, "--model-url:", progress::note);
      PageSources sources = PageSources.installed();
      SourceContext context = new SourceContext(config, Asking.TENANT).withInput(System.in);
      // One on the blackboard is there once the cluster is.
      boolean later = resume == null && sources.needsBlackboards(source);
      KeptMappings kept = new KeptMappings(state, settings.keptMappings());
      Optional<Mapper.Again> early =
          resume != null || later
              ? Optional.empty()
              : Optional.of(
                  new Mapper(config).map(sources.open(source, context), source, kept, progress));
      ClusterLauncher launcher =
          new ClusterLauncher(state, clusterOptions.config(), progress::note);
      RunCluster clusters =
          new RunCluster(state, config, clusterOptions, launcher, otherModel, progress::note);
      progress.at("starting", 0, 0);
      try (Cluster cluster = resume != null ? clusters.resumed(runId) : clusters.fresh()) {
        Asking asking = new Asking(cluster, progress);
        Optional<Mapper.Again> mapping =
            later
                ? Optional.of(
                    new Mapper(config)
                        .map(
                            sources.open(source, context.withBlackboards(cluster.blackboards())),
                            source,
                            kept,
                            progress))
                : early;
        AskRecord asked =
            mapping.isPresent()
                ? asking.submit(
                    runId,
                    question.strip(),
                    source,
                    mapping.get(),
                    clusters.startedWith(cluster, model),
                    policy.orElse(AskPolicy.RESEARCH))
                : clusters.find(cluster.blackboards(), runId);
        guard.resumable();
        AskReport report = follow(asking, asked, cluster, settings, progress, started, config);
        // Before anything is ended, which takes a while that the user need not wait for.
        System.out.println(json.given() ? report.toJson() : report.toText());
        guard.answered();
        return report;
      }
    }
  }

  private static AskReport follow(
      Asking asking,
      AskRecord asked,
      Cluster cluster,
      RunSettings settings,
      Progress progress,
      Stopwatch started,
      Config config) {
    ModelWatch watch =
        ModelWatch.start(
            cluster::waiting,
            settings.waitingNotice(),
            AgentSettings.fromConfig(config).modelCallDeadline(),
            progress::note);
    try {
      return asking.follow(asked, started);
    } finally {
      watch.close();
    }
  }

  private void checkInput() {
    clusterOptions.nodes();
    if (otherModel && resume == null) {
      throw new CommandFailure(ExitCode.BAD_INPUT, "--other-model is for --resume");
    }
    if (resume != null) {
      if (source != null || question != null || policy.isPresent()) {
        throw new CommandFailure(
            ExitCode.BAD_INPUT,
            "--resume knows the source, the question and the policy: leave them out");
      }
      return;
    }
    if (source == null) {
      throw new CommandFailure(ExitCode.BAD_INPUT, "give a SOURCE to ask about");
    }
    if (question == null || question.isBlank()) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT, "the question is empty: give one with --ask \"...\"");
    }
  }

  private static RunId runId(String text) {
    try {
      return new RunId(text);
    } catch (IllegalArgumentException bad) {
      throw new CommandFailure(ExitCode.BAD_INPUT, "--resume: " + bad.getMessage());
    }
  }

  /** The name of a policy. */
  static final class Deciding implements ITypeConverter<AskPolicy> {
    @Override
    public AskPolicy convert(String word) {
      try {
        return AskPolicy.of(word);
      } catch (IllegalArgumentException bad) {
        throw new TypeConversionException(bad.getMessage());
      }
    }
  }

  /** On Ctrl-C or SIGTERM: says how to go on with the run. */
  private static final class InterruptGuard implements AutoCloseable {

    private final OnExit onExit;
    private volatile boolean resumable;

    /**
     * @param stored whether the run was stored by an earlier command
     */
    InterruptGuard(RunId runId, boolean stored) {
      resumable = stored;
      onExit =
          OnExit.run(() ->
              System.err.println(
                  resumable
                      ? "colony: interrupted; go on with: colony run --resume " + runId
                      : "colony: interrupted: the run had not begun, and nothing of it is stored"));
    }

    /** From here on the run is stored. */
    void resumable() {
      resumable = true;
    }

    /** From here on there is nothing to go on with. */
    void answered() {
      onExit.close();
    }

    @Override
    public void close() {
      onExit.close();
    }
  }
}
