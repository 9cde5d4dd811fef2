package dev.colony.cli;

import com.typesafe.config.Config;
import dev.colony.agent.RunId;
import dev.colony.blackboard.Blackboards;
import dev.colony.cli.CommandOptions.ClusterOptions;
import dev.colony.cli.ask.AskRecord;
import dev.colony.cli.ask.AskRecord.LeftRuns;
import dev.colony.cli.ask.AskRecord.StartedWith;
import dev.colony.cli.local.Cluster;
import dev.colony.cli.local.Cluster.BlackboardClient;
import dev.colony.cli.local.ClusterLauncher;
import dev.colony.cli.local.ClusterLauncher.Lone;
import dev.colony.cli.local.ClusterLauncher.Wanted;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.local.UpRecord;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.inference.provider.ProviderSettings;
import java.net.URI;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The cluster of a run: the one that is up, or one of its own. A run that is resumed goes on with
 * the model server and as many nodes as it had, unless options say otherwise.
 */
record RunCluster(
    StateDirectory state,
    Config config,
    ClusterOptions options,
    ClusterLauncher launcher,
    boolean otherModel,
    Consumer<String> notice) {

  private static final String PURPOSE = "colony run";

  /** For one that begins. */
  Cluster fresh(RunId runId) {
    return up().orElseGet(() ->
        launcher.startForCommand(
            redis -> new Wanted(options.nodes(), options.modelUrl(), Optional.of(lone(runId))),
            PURPOSE));
  }

  private static Lone lone(RunId runId) {
    return new Lone(runId, LeftRuns.of(runId));
  }

  /**
   * For one that goes on.
   *
   * @throws CommandFailure if there is no such run, or it cannot go on with what it had
   */
  Cluster resumed(RunId runId) {
    Optional<Cluster> up = up();
    if (up.isPresent()) {
      try {
        AskRecord asked = find(up.get().blackboards(), runId);
        fits(runId, asked.startedWith());
        if (asked.startedWith() != null && asked.startedWith().lone()) {
          asked.startedWith(asked.startedWith().shared()).save(up.get().blackboards());
        }
        return up.get();
      } catch (RuntimeException unfit) {
        up.get().close();
        throw unfit;
      }
    }
    return launcher.startForCommand(redisUri -> again(redisUri, runId), PURPOSE);
  }

  private Optional<Cluster> up() {
    Optional<Cluster> up = launcher.attach();
    if (up.isPresent() && (options.nodesGiven() || options.modelGiven())) {
      up.get().close();
      throw CommandFailure.badInput(
          "a cluster is up in %s: leave out --nodes and --model-url, or call colony down first"
              .formatted(state.root()));
    }
    return up;
  }

  /**
   * What is stored of a run.
   *
   * @throws CommandFailure if there is no such run
   */
  AskRecord find(Blackboards blackboards, RunId runId) {
    return AskRecord.find(blackboards, runId)
        .orElseThrow(() ->
            CommandFailure.badInput(
                "no run " + runId + " in this state directory: see the last line of a run"));
  }

  /**
   * What a run that begins on a cluster is to be resumed with.
   *
   * @param model which model answers where the cluster is one of its own
   */
  StartedWith startedWith(Cluster cluster, String model) {
    Optional<UpRecord> up = UpRecord.find(state);
    return up.isPresent()
        ? new StartedWith(up.get().modelUrl(), "", cluster.nodes(), up.get().model(), "", false)
        : new StartedWith(url(), model(), cluster.nodes(), Optional.of(model), file(), true);
  }

  private String url() {
    return options.modelUrl().map(URI::toString).orElse("");
  }

  private String model() {
    return ProviderSettings.fromConfig(config).model().orElse("");
  }

  private String file() {
    return options.config().map(file -> file.toAbsolutePath().toString()).orElse("");
  }

  /** The answers of one run shall come from one model. */
  private void fits(RunId runId, StartedWith had) {
    if (had == null) {
      return;
    }
    UpRecord up = UpRecord.find(state).orElseThrow();
    StartedWith has = new StartedWith(up.modelUrl(), "", had.nodes(), up.model(), "", false);
    if (!sameModel(had, has)) {
      throw CommandFailure.badInput(
          "run %s was started with %s, and the cluster that is up in %s has %s: call colony down first"
              .formatted(runId, named(had), state.root(), named(has)));
    }
  }

  /** Whether the same model answers, as far as it is recorded. */
  static boolean sameModel(StartedWith had, StartedWith now) {
    boolean sameName =
        had.served().isPresent() && now.served().isPresent()
            ? had.served().equals(now.served())
            : had.model().isEmpty() || now.served().map(had.model()::equals).orElse(true);
    // A model may move to another address, if it is known to be the same.
    return sameName
        && (had.modelUrl().equals(now.modelUrl())
            || had.served().isPresent() && !had.modelUrl().isEmpty() && !now.modelUrl().isEmpty());
  }

  private static String named(StartedWith with) {
    String model = with.served().orElse(with.model());
    if (with.modelUrl().isEmpty()) {
      return with.served().orElse(ModelCheck.EMBEDDED);
    }
    return "the model server " + with.modelUrl() + (model.isEmpty() ? "" : ", model " + model);
  }

  private Wanted again(String redisUri, RunId runId) {
    BlackboardClient client = BlackboardClient.connect(redisUri, config, said -> {});
    try {
      AskRecord asked = find(client.blackboards(), runId);
      StartedWith had =
          Optional.ofNullable(asked.startedWith())
              .orElseGet(() -> new StartedWith("", "", 1, Optional.empty(), "", true));
      sameSettings(runId, had);
      String url = options.modelGiven() ? url() : had.modelUrl();
      Optional<URI> server = Optional.of(url).filter(one -> !one.isEmpty()).map(URI::create);
      StartedWith now =
          new StartedWith(
              url,
              model(),
              options.nodesGiven() ? options.nodes() : had.nodes(),
              Optional.of(ModelCheck.asked(server, config, "run " + runId + " needs", notice)),
              file(),
              true);
      sameModel(runId, had, now);
      if (!now.equals(asked.startedWith())) {
        asked.startedWith(now).save(client.blackboards());
      }
      return new Wanted(now.nodes(), server, Optional.of(lone(asked.asked())));
    } finally {
      client.close();
    }
  }

  private void sameSettings(RunId runId, StartedWith had) {
    if (!had.config().isEmpty() && options.config().isEmpty()) {
      throw CommandFailure.badInput(
          "run %s was started with --config %s: give it again, or another"
              .formatted(runId, had.config()));
    }
  }

  private void sameModel(RunId runId, StartedWith had, StartedWith now) {
    boolean same = sameModel(had, now);
    if (!same && !otherModel) {
      throw CommandFailure.badInput(
          "run %s was started with %s, and would go on with %s: %s--other-model lets it"
              .formatted(
                  runId,
                  named(had),
                  named(now),
                  now.modelUrl().isEmpty() || !had.modelUrl().equals(now.modelUrl())
                      ? ""
                      : "give --model with the former, or set COLONY_MODEL to it, if it is still"
                          + " there; "));
    }
    if (!same) {
      notice.accept(
          "run %s goes on with %s; it was started with %s"
              .formatted(runId, named(now), named(had)));
    } else if (had.served().isEmpty()) {
      notice.accept(
          "run %s does not say which model answered it; it goes on with %s"
              .formatted(runId, named(now)));
    }
  }
}
