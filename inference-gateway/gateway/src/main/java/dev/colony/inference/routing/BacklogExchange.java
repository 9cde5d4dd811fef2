package dev.colony.inference.routing;

import dev.colony.vcm.schedule.ClusterState.Backlog;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Tells gateways what the others have sent to each replica and wait for. Reports may be lost, come
 * late and in any order: each counts for a short time and a later one takes its place.
 */
public interface BacklogExchange {

  /** For a gateway that is alone. */
  BacklogExchange NONE =
      new BacklogExchange() {
        @Override
        public void publish(List<Backlog> backlogs) {}

        @Override
        public void listen(BiConsumer<String, List<Backlog>> reports) {}
      };

  /** Tells the others what this gateway waits for. Returns at once; nothing is waited for. */
  void publish(List<Backlog> backlogs);

  /**
   * Has reports of other gateways handed over, with the name of the gateway; from any thread. One's
   * own do not come back.
   */
  void listen(BiConsumer<String, List<Backlog>> reports);
}
