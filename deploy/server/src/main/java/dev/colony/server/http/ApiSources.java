package dev.colony.server.http;

import dev.colony.agent.AgentException;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboards;
import dev.colony.client.session.BlackboardSpendStore.SpendingReader;
import dev.colony.inference.InferenceGateway;
import dev.colony.server.AgentsReader;
import dev.colony.server.Explorer;
import dev.colony.server.http.Problems.Code;
import dev.colony.server.http.Problems.Refusal;
import dev.colony.server.mcp.McpServer.GroupPages;
import dev.colony.vcm.PageStore;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * What the API tells of and passes on to.
 *
 * @param colony with a way to the journal
 * @param agents what directory and journal tell of agents
 * @param cluster the members of the cluster, for people and tools
 * @param pages what is resident where, summed up
 * @param groupPages the pages that agents are bound to
 * @param explorer finds places of mapped sources
 * @param models what model calls go to
 * @param spending what they took
 * @param trial of agents that there are to be
 */
public record ApiSources(
    Colony colony,
    Blackboards blackboards,
    AgentsReader agents,
    Supplier<ClusterViews.ClusterView> cluster,
    Supplier<ClusterViews.PagesView> pages,
    GroupPages groupPages,
    Explorer explorer,
    Models models,
    SpendingReader spending,
    AgentTrial trial) {

  /** The gateway to model servers, and the pages that its prompts may have. */
  public record Models(InferenceGateway gateway, PageStore pages) {}

  /** Waits, which a virtual thread may; what it fails with is the translator's. */
  static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  /** The same of something that the path names: where it is refused, it is not there. */
  static <T> T found(CompletionStage<T> stage) {
    try {
      return join(stage);
    } catch (CompletionException failure) {
      if (failure.getCause() instanceof AgentException none
          && !none.retryable()
          && none.getCause() == null) {
        throw Refusal.of(Code.NOT_FOUND, none.getMessage());
      }
      throw failure;
    }
  }
}
