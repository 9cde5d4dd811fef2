package dev.colony.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.OnEach;
import dev.colony.agent.client.RunHandle;
import dev.colony.cli.ask.Asking;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.OnExit;
import dev.colony.cli.terminal.Printable;
import dev.colony.cli.terminal.Progress;
import dev.colony.library.research.ResearchTypes;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Has the pages of a map in caches before questions are asked. */
@Command(
    name = "load",
    mixinStandardHelpOptions = true,
    description =
        "Loads the pages of a map into the caches of the cluster's replicas, where the"
            + " agents are that read them, so that the first question finds them there. Each"
            + " page that is in none is a model call of one token, which costs its prompt."
            + " Loading goes on when this is interrupted.")
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
    System.out.println(json.given() ? Printable.line(output) : text(output));
    output
        .path("reasons")
        .properties()
        .forEach(reason ->
            BoardOptions.note(
                "%d pages not loaded: %s".formatted(reason.getValue().asInt(), reason.getKey())));
    return (failed > 0 ? ExitCode.UNSUCCESSFUL : ExitCode.OK).status();
  }

  private static String text(JsonNode loaded) {
    return "%d of %d pages: %d loaded, %d were there, %d failed; %,d prompt tokens"
        .formatted(
            seen(loaded),
            loaded.path("of").asInt(),
            loaded.path("loaded").asInt(),
            loaded.path("resident").asInt(),
            loaded.path("failed").asInt(),
            loaded.at("/stats/usage/promptTokens").asLong());
  }

  private static int seen(JsonNode loaded) {
    return loaded.path("loaded").asInt()
        + loaded.path("resident").asInt()
        + loaded.path("failed").asInt();
  }

  private JsonNode load(Colony colony) {
    AgentId loader = new AgentId(Asking.TENANT, Asking.COLONY, "loading-" + map);
    RunId run = RunNames.next();
    AtomicReference<Optional<JsonNode>> soFar = new AtomicReference<>(Optional.empty());
    RunHandle handle =
        colony
            .spawn(loader, ResearchTypes.loading())
            .thenApply(agent ->
                agent.run(
                    JsonNodeFactory.instance.objectNode().put("map", map).put("tokens", tokens),
                    RunOptions.namespace("research").runId(run).requestedBy(BoardOptions.WRITER)))
            .toCompletableFuture()
            .join();
    OnExit interrupted =
        OnExit.run(() ->
            OnExit.say(
                "interrupted: %s so far; %s; called again, colony pages load %s loads what is missing then"
                    .formatted(
                        soFar.get().map(PagesLoadCommand::text).orElse("no page"),
                        reach.goesOn(loader, run),
                        map)));
    try (Progress progress = Progress.onStandardError()) {
      CompletableFuture<Void> shown =
          OnEach.of(
              handle.events(),
              event -> {
                if (event.name().equals(ResearchTypes.LOADED)) {
                  soFar.set(Optional.of(event.data()));
                  progress.at("loading", seen(event.data()), event.data().path("of").asInt());
                }
              });
      AgentRun ended = handle.result().toCompletableFuture().join();
      shown.cancel(false);
      if (ended.status() != AgentRun.Status.COMPLETED) {
        throw new CommandFailure(
            ExitCode.UNSUCCESSFUL, ended.error().orElse("map " + map + " was not loaded"));
      }
      return ended.output();
    } finally {
      interrupted.close();
    }
  }
}
