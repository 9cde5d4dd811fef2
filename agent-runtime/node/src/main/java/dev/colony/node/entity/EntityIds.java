package dev.colony.node.entity;

import dev.colony.agent.AgentId;
import org.apache.pekko.cluster.sharding.typed.ShardingEnvelope;
import org.apache.pekko.cluster.sharding.typed.ShardingMessageExtractor;

/**
 * Entity ids carry the placement unit in front, {@code 17:acme/billing/reviewer}, and the unit is
 * the shard: so a message finds its way without the sender looking the agent up.
 */
final class EntityIds
    extends ShardingMessageExtractor<ShardingEnvelope<AgentMessage>, AgentMessage> {

  static String of(int unit, AgentId agent) {
    return unit + ":" + agent.persistenceId();
  }

  static AgentId agent(String entityId) {
    return AgentId.parse(entityId.substring(entityId.indexOf(':') + 1));
  }

  static int unit(String entityId) {
    return Integer.parseInt(entityId.substring(0, entityId.indexOf(':')));
  }

  @Override
  public String entityId(ShardingEnvelope<AgentMessage> envelope) {
    return envelope.entityId();
  }

  @Override
  public String shardId(String entityId) {
    return entityId.substring(0, entityId.indexOf(':'));
  }

  @Override
  public AgentMessage unwrapMessage(ShardingEnvelope<AgentMessage> envelope) {
    return envelope.message();
  }
}
