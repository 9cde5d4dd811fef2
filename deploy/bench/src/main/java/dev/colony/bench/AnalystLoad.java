package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.Colony;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.library.research.ResearchTypes;
import dev.colony.vcm.PageId;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** The agents that read pages for {@code colony run}, asked directly. */
final class AnalystLoad {

  /** They know no other agent; bind them to pages, or let them live anywhere. */
  static final AgentBlueprint BLUEPRINT = ResearchTypes.analyst();

  private static final Duration LONGEST = Duration.ofMinutes(10);

  /**
   * What one of them is to do.
   *
   * @param pages one model call each, in this order
   */
  record Reading(AgentId agent, AgentBlueprint blueprint, List<PageId> pages) {}

  private final Colony colony;
  private final String question;

  AnalystLoad(Colony colony, String question) {
    this.colony = colony;
    this.question = question;
  }

  /**
   * Creates the agents, then lets all of them read at once, and waits for all.
   *
   * @throws CommandFailure if one of them fails
   */
  List<AgentRun> read(Collection<Reading> readings) {
    try {
      readings.stream()
          .map(reading -> colony.spawn(reading.agent(), reading.blueprint()).toCompletableFuture())
          .toList()
          .forEach(CompletableFuture::join);
      return readings.stream().map(this::start).toList().stream()
          .map(CompletableFuture::join)
          .map(AnalystLoad::completed)
          .toList();
    } catch (CompletionException failure) {
      throw new CommandFailure(ExitCode.UNSUCCESSFUL, failure.getCause().getMessage(), failure);
    }
  }

  private CompletableFuture<AgentRun> start(Reading reading) {
    ObjectNode input = JsonNodeFactory.instance.objectNode().put("question", question);
    ArrayNode pages = input.putArray("pages");
    reading.pages().forEach(page -> pages.add(page.value()));
    return colony
        .agent(reading.agent())
        .run(input, RunOptions.namespace("bench").timeout(LONGEST))
        .result()
        .toCompletableFuture();
  }

  private static AgentRun completed(AgentRun run) {
    if (run.status() == AgentRun.Status.FAILED) {
      throw new CommandFailure(
          ExitCode.UNSUCCESSFUL, "run " + run.runId() + " failed: " + run.error().orElse(""));
    }
    return run;
  }
}
