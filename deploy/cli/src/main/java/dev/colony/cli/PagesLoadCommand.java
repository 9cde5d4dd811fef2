package dev.colony.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
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
      "Loads the pages of a map into the caches of the cluster's replicas, each where the agent",
      "lives that reads it: questions then find them there. Each page is a call of one token, which",
      "costs its prompt.",
    })
final class PagesLoadCommand implements Callable<Integer> {

  @Parameters(paramLabel = "MAP", description = "The id of a map, see colony pages maps.")
  private String map;

  @Option(
      names = "--tokens",
      paramLabel = "N",
      defaultValue = "1000000",
      description =
          "How many tokens at most, by whole groups of pages in the map's order: no more than the"
              + " caches hold (default: ${DEFAULT-VALUE}).")
  private long tokens;

  @Mixin private JsonOption json;

  @Mixin private ColonyOptions reach;

  @Override
  public Integer call() {
    if (tokens < 1) {
      throw new CommandFailure(ExitCode.BAD_INPUT, "--tokens is %d, must be 1 or more".formatted(tokens));
    }
    if (!RunSource.isMap(map)) {
      throw new CommandFailure(ExitCode.BAD_INPUT, map + " is no id of a map: see colony pages maps");
    }
    JsonNode loaded = reach.with(this::load);
    int failed = loaded.path("failed").asInt();
    if (json.given()) {
      System.out.println(Printable.line(loaded));
    } else {
      System.out.printf(
          "%d of %d pages are loaded, %,d prompt tokens, of which %,d were there%n",
          loaded.path("pages").asInt() - failed,
          loaded.path("of").asInt(),
          loaded.path("usage").path("promptTokens").asLong(),
          loaded.path("usage").path("cachedTokens").asLong());
    }
    if (failed > 0) {
      BoardOptions.note(
          "%d pages are not loaded: %s".formatted(failed, loaded.path("why").asText()));
    }
    return (failed > 0 ? ExitCode.UNSUCCESSFUL : ExitCode.OK).status();
  }

  private JsonNode load(Colony colony) {
    RunId run = RunNames.next();
    AgentId loader = new AgentId(Asking.TENANT, Asking.COLONY, "loading-" + run.value());
    AgentRun ended =
        colony
            .spawn(loader, ResearchTypes.loading())
            .join()
            .run(
                JsonNodeFactory.instance.objectNode().put("map", map).put("tokens", tokens),
                RunOptions.namespace("research").runId(run).requestedBy(BoardOptions.WRITER))
            .result()
            .toCompletableFuture()
            .join();
    if (ended.status() != AgentRun.Status.COMPLETED) {
      throw new CommandFailure(
          ExitCode.UNSUCCESSFUL, "map %s: %s".formatted(map, ended.error().orElse("")));
    }
    return ended.output();
  }
}
