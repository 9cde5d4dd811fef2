package dev.colony.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.Colony;
import dev.colony.cli.ask.Asking;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.library.research.ResearchTypes;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Has the pages of a map in caches before questions are asked. */
@Command(
    name = "load",
    mixinStandardHelpOptions = true,
    description = {
      "Loads the pages of a map into the caches of the cluster's replicas, where the agents are"
          + " that",
      "read them, so that the first question finds them there. Each page that is in none is a"
          + " model",
      "call of one token, which costs its prompt.",
    })
final class PagesLoadCommand implements Callable<Integer> {

  @Parameters(paramLabel = "MAP", description = "The id of a map, see colony pages maps.")
  private String map;

  @Option(
      names = "--tokens",
      paramLabel = "N",
      defaultValue = "1000000",
      description =
          "How many tokens at most, in whole groups of pages in the map's order; more than the"
              + " caches hold is loaded in vain (default: ${DEFAULT-VALUE}).")
  private long tokens;

  @Mixin private JsonOption json;

  @Mixin private ColonyOptions reach;

  @Override
  public Integer call() {
    if (tokens < 1) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT, "--tokens is %d, but must be 1 or more".formatted(tokens));
    }
    if (!RunSource.isMap(map)) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT, map + " is no id of a map: see colony pages maps");
    }
    JsonNode output = reach.with(this::load);
    int failed = output.path("failed").asInt();
    if (json.given()) {
      System.out.println(Printable.line(output));
    } else {
      System.out.printf(
          "%d of %d pages: %d loaded, %d were there, %d failed; %,d prompt tokens%n",
          output.path("loaded").asInt() + output.path("resident").asInt() + failed,
          output.path("of").asInt(),
          output.path("loaded").asInt(),
          output.path("resident").asInt(),
          failed,
          output.at("/stats/usage/promptTokens").asLong());
    }
    output
        .path("reasons")
        .properties()
        .forEach(reason ->
            BoardOptions.note(
                "%d pages not loaded: %s".formatted(reason.getValue().asInt(), reason.getKey())));
    return (failed > 0 ? ExitCode.UNSUCCESSFUL : ExitCode.OK).status();
  }

  private JsonNode load(Colony colony) {
    AgentId loader = new AgentId(Asking.TENANT, Asking.COLONY, "loading-" + map);
    AgentRun ended =
        colony
            .spawn(loader, ResearchTypes.loading())
            .thenCompose(agent ->
                agent
                    .run(
                        JsonNodeFactory.instance.objectNode().put("map", map).put("tokens", tokens),
                        RunOptions.namespace("research")
                            .runId(RunNames.next())
                            .requestedBy(BoardOptions.WRITER))
                    .result())
            .toCompletableFuture()
            .join();
    if (ended.status() != AgentRun.Status.COMPLETED) {
      throw new CommandFailure(
          ExitCode.UNSUCCESSFUL, ended.error().orElse("map " + map + " was not loaded"));
    }
    return ended.output();
  }
}
