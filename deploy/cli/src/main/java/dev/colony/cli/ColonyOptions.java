package dev.colony.cli;

import com.typesafe.config.Config;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.client.Colony;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.local.UpRecord;
import dev.colony.client.http.HttpColony;
import dev.colony.server.agents.AgentsReader;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How a command reaches agents: over the Redis of a cluster, or over its HTTP API. */
final class ColonyOptions {

  @Option(
      names = "--url",
      paramLabel = "URL",
      description =
          "The HTTP API of a node, or of what stands before them, for a cluster whose Redis is not"
              + " within reach.")
  private Optional<URI> url = Optional.empty();

  @Mixin private KeyOption key;

  @Mixin private BoardOptions board;

  /** The HTTP API that is asked. */
  record Api(URI url, String key, Config config) {

    Colony colony() {
      return BoardOptions.refusing(() -> HttpColony.at(url, key, config));
    }
  }

  /** Does something with its agents. */
  <T> T with(Function<Colony, T> work) {
    if (url.isEmpty()) {
      checkUp();
    }
    return with(api -> work.apply(api.colony()), (view, colony) -> work.apply(colony));
  }

  /** Does something with its agents, over the API or with the Redis where they are. */
  <T> T with(Function<Api, T> overHttp, BiFunction<AgentsReader, Colony, T> overRedis) {
    if (url.isEmpty()) {
      return board.withAgents(overRedis);
    }
    KeyOption.checkUrl(url.get());
    CommandLog.into(state(), "agents");
    return overHttp.apply(new Api(url.get(), key.key().orElse(""), config()));
  }

  /** Nodes that are known to be down would leave a run waiting for them. */
  private void checkUp() {
    StateDirectory directory = state();
    boolean dead =
        !board.elsewhere()
            && UpRecord.find(directory).filter(up -> up.living(directory).isEmpty()).isPresent();
    if (dead) {
      throw new CommandFailure(
          ExitCode.NODE_ENDED,
          "all nodes of the cluster in %s have died: call colony up, which starts them again"
              .formatted(directory.root()));
    }
  }

  /** How a person comes back to a run that is not waited for any longer. */
  String goesOn(AgentId agent, RunId run) {
    return "the run goes on; follow it with: colony attach %s %s%s".formatted(agent, run, again());
  }

  /** The options that reach the same cluster, as they stand in another command. */
  String again() {
    return url.map(at -> " --url " + StateOption.word(at.toString()) + key.again())
        .orElseGet(board::again);
  }

  /** Whether another cluster is meant than the one of the state directory. */
  boolean elsewhere() {
    return url.isPresent() || board.elsewhere();
  }

  Optional<Path> configFile() {
    return board.configFile();
  }

  Config config() {
    return board.config();
  }

  StateDirectory state() {
    return board.state();
  }
}
