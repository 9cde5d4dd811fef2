package dev.colony.node.entity;

import dev.colony.agent.AgentId;
import java.util.stream.StreamSupport;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.cluster.sharding.typed.javadsl.EntityContext;
import org.apache.pekko.cluster.typed.Cluster;

/** An agent's actor in the shard that is the placement unit of its entity id. */
final class ClusterShardLink implements AgentEntity.ShardLink {

  private final ActorSystem<?> system;
  private final ActorRef<ClusterSharding.ShardCommand> shard;
  private final EntityClient entities;
  private final AgentId agent;
  private final int unit;
  private boolean passivates;

  ClusterShardLink(
      ActorSystem<?> system, EntityContext<AgentMessage> context, EntityClient entities) {
    this.system = system;
    this.shard = context.getShard();
    this.entities = entities;
    this.agent = EntityIds.agent(context.getEntityId());
    this.unit = EntityIds.unit(context.getEntityId());
  }

  @Override
  public int unit() {
    return unit;
  }

  @Override
  public void passivate(ActorRef<AgentMessage> self) {
    passivates = true;
    shard.tell(new ClusterSharding.Passivate<>(self));
  }

  /**
   * One that was told to go on just when it had asked to leave is started again by its shard. One
   * whose shard leaves, without another node, would only have the message wait in the shard region
   * for this one's end; the waker finds the agent when there is a node again.
   */
  @Override
  public void wakeElsewhere() {
    if (passivates || hasOthers()) {
      entities.wake(unit, agent);
    }
  }

  @Override
  public void forward(int to, AgentMessage.Remote message) {
    entities.forward(to, agent, message);
  }

  private boolean hasOthers() {
    Cluster cluster = Cluster.get(system);
    return StreamSupport.stream(cluster.state().getMembers().spliterator(), false)
        .anyMatch(member ->
            member.status() == MemberStatus.up()
                && !member.uniqueAddress().equals(cluster.selfMember().uniqueAddress()));
  }
}
