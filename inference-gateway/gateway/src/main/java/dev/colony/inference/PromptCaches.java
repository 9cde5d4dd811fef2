package dev.colony.inference;

import dev.colony.vcm.schedule.Ask;
import dev.colony.vcm.schedule.PrefillSpeed;
import java.util.List;
import java.util.Set;

/**
 * What prompts take of the caches of a gateway's replicas, all counted in blocks of one size.
 * Answers from memory; thread-safe.
 */
public interface PromptCaches {

  /**
   * The cache of a replica that calls may be sent to now.
   *
   * @param model that it serves; empty for the one that has no name
   * @param blocks that it holds by the replica's own word; 0 where it has not said
   * @param node the cluster node that the replica belongs to; empty where it belongs to none
   * @param speed at which it computes prompts, as the gateway has learned
   */
  record Cache(String replica, String model, int blocks, String node, PrefillSpeed speed) {}

  List<Cache> caches();

  /** Tokens of a block, above 0. */
  double blockTokens();

  /**
   * The blocks of a call's prompt. It excludes the replicas of all models but the one that would
   * answer it now, see {@link #excluded}.
   *
   * @throws dev.colony.inference.InferenceException if no such model is configured
   */
  Ask ask(InferenceRequest request);

  /**
   * The replicas of all models but the one that would answer such a call now: of those that it may
   * be answered by, the first that has a replica which calls may be sent to, and the first of all
   * where none has. One that stands in does not share a call with the one that was asked for, so
   * that an agent never gets another model only because that one's caches have room.
   *
   * @throws dev.colony.inference.InferenceException if no such model is configured
   */
  Set<String> excluded(ModelChoice choice);
}
