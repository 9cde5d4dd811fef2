package dev.colony.cli;

import com.typesafe.config.Config;
import dev.colony.agent.RunId;
import dev.colony.blackboard.Blackboards;
import dev.colony.cli.ask.AskRecord;
import dev.colony.cli.ask.AskRecord.StartedWith;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.BlackboardClient;
import dev.colony.cli.local.Cluster;
import dev.colony.cli.local.ClusterLauncher;
import dev.colony.cli.local.ClusterLauncher.Wanted;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.local.UpRecord;
import dev.colony.inference.provider.ProviderSettings;
import java.net.URI;
import java.util.Optional;

/**
 * The cluster of a run: the one that is up, or one of its own. A run that is resumed goes on with
 * the model server and as many nodes as it had, unless options say otherwise.
 */
record RunCluster(
    StateDirectory state, Config config, ClusterOptions options, ClusterLauncher launcher) {

  private static final String PURPOSE = "colony run";

  /** For a run that begins. */
  Cluster fresh() {
    return up().orElseGet(
            () -> launcher.startForCommand(options.nodes(), options.modelUrl(), PURPOSE));
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
        fits(runId, find(up.get().blackboards(), runId).startedWith());
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
      throw new CommandFailure(
          ExitCode.BAD_INPUT,
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
            new CommandFailure(
                ExitCode.BAD_INPUT,
                "no run " + runId + " in this state directory: see the last line of a run"));
  }

  /** What a run that begins on a cluster is to be resumed with. */
  StartedWith startedWith(Cluster cluster) {
    Optional<UpRecord> up = UpRecord.find(state);
    return up.isPresent()
        ? new StartedWith(up.get().modelUrl(), "", cluster.nodes())
        : new StartedWith(url(), model(), cluster.nodes());
  }

  private String url() {
    return options.modelUrl().map(URI::toString).orElse("");
  }

  private String model() {
    return ProviderSettings.fromConfig(config).model().orElse("");
  }

  /** The answers of one run shall come from one model. */
  private void fits(RunId runId, StartedWith had) {
    String has = UpRecord.find(state).map(UpRecord::modelUrl).orElse("");
    if (had != null && !had.modelUrl().equals(has)) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT,
          "run %s was started with %s, and the cluster that is up in %s has %s: call colony down first"
              .formatted(runId, named(had.modelUrl()), state.root(), named(has)));
    }
  }

  private static String named(String modelUrl) {
    return modelUrl.isEmpty() ? "the embedded replica" : "the model server " + modelUrl;
  }

  private Wanted again(String redisUri, RunId runId) {
    BlackboardClient client = BlackboardClient.connect(redisUri, config, said -> {});
    try {
      AskRecord asked = find(client.blackboards(), runId);
      StartedWith had =
          asked.startedWith() == null ? new StartedWith("", "", 1) : asked.startedWith();
      StartedWith now =
          new StartedWith(
              options.modelGiven() ? url() : had.modelUrl(),
              model(),
              options.nodesGiven() ? options.nodes() : had.nodes());
      if (!options.modelGiven() && !had.modelUrl().isEmpty()) {
        sameModel(runId, had);
        ModelCheck.check(URI.create(had.modelUrl()), config, "run " + runId + " needs");
      }
      if (!now.equals(asked.startedWith())) {
        asked.startedWith(now).save(client.blackboards());
      }
      return new Wanted(
          now.nodes(), Optional.of(now.modelUrl()).filter(url -> !url.isEmpty()).map(URI::create));
    } finally {
      client.close();
    }
  }

  private void sameModel(RunId runId, StartedWith had) {
    if (!had.model().isEmpty() && model().isEmpty()) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT,
          "run %s was started with the model %s: set COLONY_MODEL to it, or to another"
              .formatted(runId, had.model()));
    }
  }
}
