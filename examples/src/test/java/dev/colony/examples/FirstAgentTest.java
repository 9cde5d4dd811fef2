package dev.colony.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.fixture.Guide;
import dev.colony.blackboard.Write;
import dev.colony.cli.local.Cluster;
import dev.colony.cli.local.ClusterLauncher;
import dev.colony.cli.local.StateDirectory;
import dev.colony.client.ColonyClient;
import dev.colony.library.policy.MinimalActionPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of docs/first-agent.md. */
class FirstAgentTest {

  // guide: capability
  @Registered(value = "docs.glossary", summary = "Explains the words of a trade.")
  public static final class GlossaryCapability extends AgentCapability {

    /** What the glossary is about. */
    public record Args(Map<String, String> terms) {}

    private final Args args;

    public GlossaryCapability(CapabilityContext context, Args args) {
      super(context);
      this.args = args;
    }

    @ActionExecutor(summary = "Looks up what a term means.")
    String lookUp(@Param("the term, as it was asked for") String term) {
      blackboard().write(Write.of("asked:" + term, JsonNodeFactory.instance.nullNode()));
      return Optional.ofNullable(args.terms().get(term))
          .orElseThrow(
              () -> new IllegalArgumentException("no such term; known: " + args.terms().keySet()));
    }
  }

  // guide end

  // guide: provider
  public static final class MyTypes implements TypeProvider {
    @Override
    public void register(Types types) {
      types.add(GlossaryCapability.class);
    }
  }

  // guide end

  @Test
  void thePageShowsWhatRuns() throws Exception {
    Guide.showsWhatRuns("first-agent.md", FirstAgentTest.class);
  }

  @Test
  void aFirstAgentAnswers(@TempDir Path directory) throws Exception {
    ClusterLauncher launcher =
        new ClusterLauncher(StateDirectory.open(directory), Optional.empty(), notice -> {});
    try (Cluster cluster = launcher.startForCommand(1, Optional.empty(), "test")) {
      AgentRun run = ask(cluster.redisUri());
      assertThat(run.error()).isEmpty();
      assertThat(run.status()).isEqualTo(AgentRun.Status.COMPLETED);
      assertThat(run.stats().steps()).isGreaterThanOrEqualTo(2);
    }
  }

  private static AgentRun ask(String redisUrl) {
    // guide: run
    AgentBlueprint glossary =
        AgentBlueprint.of(
                MinimalActionPolicy.class,
                MinimalActionPolicy.Args.NONE
                    .role("You explain the words of seafaring.")
                    .goals("Look up the term that is asked for, then complete with its meaning."))
            .capability(
                GlossaryCapability.class,
                new GlossaryCapability.Args(
                    Map.of("bow", "the front of a ship", "stern", "its back")));

    try (ColonyClient client = ColonyClient.connect(redisUrl)) {
      AgentHandle agent =
          client
              .colony()
              .spawn(new AgentId("acme", "harbour", "glossary"), glossary)
              .toCompletableFuture()
              .join();
      JsonNode input = JsonNodeFactory.instance.objectNode().put("term", "bow");
      AgentRun run =
          agent
              .run(input, RunOptions.namespace("ask").timeout(Duration.ofMinutes(2)))
              .result()
              .toCompletableFuture()
              .join();
      System.out.println(run.output() + " after " + run.stats().steps() + " steps");
      // guide pause
      return run;
      // guide resume
    }
    // guide end
  }
}
