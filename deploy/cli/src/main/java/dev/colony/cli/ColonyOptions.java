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
import java.net.URI;
import java.util.Optional;
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

  /** Does something with its agents. */
  <T> T with(Function<Colony, T> work) {
    if (url.isPresent()) {
      KeyOption.checkUrl(url.get());
      CommandLog.into(state(), "agents");
      return work.apply(
          BoardOptions.refusing(() -> HttpColony.at(url.get(), key.key().orElse(""), config())));
    }
    checkUp();
    return board.withAgents((view, colony) -> work.apply(colony));
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
  String goesOn(AgentId agent, RunId run, String namespace) {
    return url.isEmpty()
        ? "the run goes on; follow it with: colony attach %s %s".formatted(agent, run)
        : "the run goes on: it is %s of %s, in the namespace %s".formatted(run, agent, namespace);
  }

  Config config() {
    return board.config();
  }

  StateDirectory state() {
    return board.state();
  }
}
