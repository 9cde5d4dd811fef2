package dev.colony.server.http;

import static dev.colony.server.http.ApiSources.join;

import dev.colony.server.http.Endpoint.Handlers;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.PageTableSnapshot;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.pekko.actor.Address;
import org.apache.pekko.cluster.Cluster;
import org.apache.pekko.cluster.ClusterEvent.CurrentClusterState;
import org.apache.pekko.cluster.Member;

/** What a node knows of its cluster, summed up. Answers from memory. */
public final class ClusterViews {

  /**
   * The members, in the order of their addresses.
   *
   * @param self the node that answers
   * @param leader empty while there is none
   */
  public record ClusterView(String self, Optional<String> leader, List<MemberView> members) {

    public static ClusterView of(Cluster cluster) {
      CurrentClusterState state = cluster.state();
      List<MemberView> members = new ArrayList<>();
      for (Member member : state.getMembers()) {
        members.add(
            new MemberView(
                text(member.address()),
                member.status().toString(),
                !state.getUnreachable().contains(member)));
      }
      return new ClusterView(
          text(cluster.selfMember().address()),
          Optional.ofNullable(state.getLeader()).map(ClusterView::text),
          members);
    }

    private static String text(Address address) {
      return address.hostPort().substring(address.hostPort().indexOf('@') + 1);
    }
  }

  public record MemberView(String address, String status, boolean reachable) {}

  /**
   * Pages and where they are resident.
   *
   * @param groups how many groups of pages there are
   * @param units how many placement units have pages
   */
  public record PagesView(int groups, int units, List<ReplicaView> replicas) {

    public static PagesView of(PageTableSnapshot table) {
      return new PagesView(
          table.assignments().size(),
          table.units().size(),
          table.replicas().stream().map(ReplicaView::of).toList());
    }
  }

  /**
   * A replica of the model.
   *
   * @param pages how many are resident in it
   * @param tokens of these
   */
  public record ReplicaView(String replica, String node, URI baseUri, int pages, long tokens) {

    static ReplicaView of(ReplicaResidency replica) {
      return new ReplicaView(
          replica.replica().value(),
          replica.node().value(),
          replica.baseUri(),
          replica.pages().size(),
          replica.pages().values().stream().mapToLong(Integer::longValue).sum());
    }
  }

  private ClusterViews() {}

  record ClusterEndpoints(ApiSources sources) {

    void addTo(Handlers handlers) {
      handlers.on("getCluster", call -> ApiResponse.ok(sources.cluster().get()));
      handlers.on("getStore", call -> ApiResponse.ok(sources.agents().store()));
      handlers.on("getSpending", this::spending);
    }

    /** What the model calls of a tenant have taken of its budgets. */
    private ApiResponse spending(Call call) {
      return ApiResponse.ok(join(sources.spending().of(call.tenant(), call.query("sessionId"))));
    }
  }
}
