package dev.colony.server.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.vcm.table.PageTableSnapshot;
import dev.colony.vcm.table.ReplicaResidency;
import java.util.Set;
import org.apache.pekko.actor.Address;
import org.apache.pekko.cluster.Cluster;
import org.apache.pekko.cluster.ClusterEvent.CurrentClusterState;
import org.apache.pekko.cluster.Member;

/** What a node knows of its cluster, summed up. Answers from memory. */
public final class ClusterJson {

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private ClusterJson() {}

  /** The members, in the order of their addresses. */
  public static ObjectNode members(Cluster cluster) {
    CurrentClusterState state = cluster.state();
    Set<Member> unreachable = state.getUnreachable();
    ObjectNode json = NODES.objectNode().put("self", text(cluster.selfMember().address()));
    if (state.getLeader() != null) {
      json.put("leader", text(state.getLeader()));
    }
    ArrayNode members = json.putArray("members");
    for (Member member : state.getMembers()) {
      members
          .addObject()
          .put("address", text(member.address()))
          .put("status", member.status().toString())
          .put("reachable", !unreachable.contains(member));
    }
    return json;
  }

  private static String text(Address address) {
    return address.hostPort().substring(address.hostPort().indexOf('@') + 1);
  }

  /** Pages and where they are resident. */
  public static ObjectNode pages(PageTableSnapshot table) {
    ObjectNode json =
        NODES
            .objectNode()
            .put("groups", table.assignments().size())
            .put("units", table.units().size());
    ArrayNode replicas = json.putArray("replicas");
    for (ReplicaResidency replica : table.replicas()) {
      replicas
          .addObject()
          .put("replica", replica.replica().value())
          .put("node", replica.node().value())
          .put("baseUri", replica.baseUri().toString())
          .put("pages", replica.pages().size())
          .put("tokens", replica.pages().values().stream().mapToLong(Integer::longValue).sum());
    }
    return json;
  }
}
