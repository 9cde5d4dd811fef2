package dev.colony.examples.impact;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.cli.ask.Mapper;
import dev.colony.cli.local.Cluster;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.Progress;
import dev.colony.core.registry.AgentTypes;
import dev.colony.core.registry.BlueprintFile;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.mapping.MappingResult;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Maps a source tree, and has an agent of a cluster say what a change to it would break. */
public final class ImpactAnalysis {

  private static final String BLUEPRINT = "impact.json";

  private final Cluster cluster;
  private final PageMap map;

  /**
   * Maps the tree and stores its pages. Blocks.
   *
   * @throws CommandFailure if it cannot be mapped, with the reason
   */
  public ImpactAnalysis(Path directory, Cluster cluster, Progress progress) {
    this.cluster = cluster;
    MappingResult.Mapped mapped =
        new Mapper(ConfigFactory.load()).map(directory.toAbsolutePath().normalize(), progress);
    this.map =
        Mapper.unchanged(
            mapped,
            () -> {
              cluster.pages().save(mapped.map(), mapped.pages());
              return mapped.map();
            });
  }

  /**
   * Spawns the agent and runs it to its end. Blocks.
   *
   * @param symbols what changes; empty for what the question names
   * @param judged whether a model is asked what becomes of each place
   * @return an {@link Impact}, as JSON
   * @throws CommandFailure if the run fails, with the reason
   * @throws AgentException if the agent cannot be reached
   */
  public JsonNode of(AgentId agent, String question, List<String> symbols, boolean judged) {
    ObjectNode input =
        JsonNodeFactory.instance
            .objectNode()
            .put("map", map.id())
            .put("judged", judged)
            .put("question", question);
    symbols.forEach(input.putArray("symbols")::add);
    AgentRun run =
        cluster
            .colony()
            .spawn(agent, blueprint())
            .join()
            .run(input, RunOptions.namespace("examples"))
            .join();
    if (run.error().isPresent()) {
      throw new CommandFailure(ExitCode.UNSUCCESSFUL, run.error().get());
    }
    return run.output();
  }

  /** The agent of the file {@value #BLUEPRINT}, which is in the jar. */
  static AgentBlueprint blueprint() {
    try (InputStream file = ImpactAnalysis.class.getResourceAsStream("/" + BLUEPRINT)) {
      String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      return switch (BlueprintFile.read(text, AgentTypes.installed())) {
        case BlueprintFile.Read read -> read.file().blueprint();
        case BlueprintFile.Refused refused ->
            throw new IllegalStateException(BLUEPRINT + ":" + refused.problems().getFirst());
      };
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
