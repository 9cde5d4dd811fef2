package dev.colony.vcm.schedule.lease;

import dev.colony.vcm.schedule.SchedulerView;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What must never be in a {@link LeaseWorld}, whatever happens in it. */
final class LeaseInvariants {

  private LeaseInvariants() {}

  /** Blocks of a turn that runs under a valid lease are never evicted. */
  static Optional<String> evicted(LeaseWorld world, LeaseOrder.Evicted evicted) {
    Set<Long> gone = new HashSet<>();
    for (long block : evicted.eviction().blocks()) {
      gone.add(block);
    }
    for (int h = 0; h < world.holders.size(); h++) {
      for (LeaseHolder.Held held : world.holders.get(h).agents().values()) {
        boolean there =
            world
                .holders
                .get(h)
                .lease(held.agent, world.now)
                .filter(lease -> lease.replica().equals(evicted.eviction().replica()))
                .isPresent();
        // What runs at a node that the agent has left is refused what it writes.
        boolean stray =
            world.agents.stream()
                .anyMatch(agent ->
                    agent.name.equals(held.agent) && agent.incarnation != held.incarnation);
        if (there
            && held.running
            && !stray
            && Arrays.stream(held.prompt.blocks()).anyMatch(gone::contains)) {
          return Optional.of("blocks of " + held.agent + " are evicted while it runs: " + gone);
        }
      }
    }
    return Optional.empty();
  }

  /** What is not as it must be; empty where all is. */
  static Optional<String> broken(LeaseWorld world) {
    for (LeaseWorld.Agent agent : world.agents) {
      Set<String> places = new TreeSet<>();
      for (LeaseHolder holder : world.holders) {
        holder.lease(agent.name, world.now).ifPresent(lease -> places.add(lease.replica()));
      }
      if (places.size() > 1) {
        return Optional.of("two leases of " + agent.name + ": " + places);
      }
      for (LeaseHolder holder : world.holders) {
        Optional<Lease> lease = holder.lease(agent.name, world.now);
        if (lease.isPresent()
            && !world.authority.counts(world.now).rebuilding()
            && !known(world.authority, lease.get())) {
          return Optional.of("the authority does not know " + lease.get());
        }
      }
      if (agent.waitsSince >= 0 && world.now - agent.waitsSince > limit()) {
        return Optional.of(agent.name + " waits for " + (world.now - agent.waitsSince) + " s");
      }
    }
    Map<String, String> homes = SchedulerView.homes(world.scheduler);
    for (AgentLeases one : world.authority.agents().values()) {
      String home = homes.remove(one.agent);
      String lease =
          one.current
              .map(current -> current.lease.replica())
              .or(() -> one.waiting.flatMap(waiting -> waiting.replica))
              .orElse(null);
      if (!Objects.equals(home, lease)) {
        return Optional.of(one.agent + " is resident at " + home + ", with a lease at " + lease);
      }
    }
    if (!homes.isEmpty() || !SchedulerView.claimsAreUnions(world.scheduler)) {
      return Optional.of("the claims are not those of the residents: " + homes);
    }
    return Optional.empty();
  }

  private static boolean known(LeaseAuthority authority, Lease lease) {
    AgentLeases one = authority.agents().get(lease.agent());
    return one != null
        && (one.leaving(lease.epoch()).isPresent()
            || one.current.filter(own -> own.lease.epoch() == lease.epoch()).isPresent());
  }

  /** The bound and a turn, and for what may go wrong a grace, a term or a message more. */
  private static int limit() {
    return LeaseWorld.BOUND + 2 * LeaseWorld.TURN + 3 * LeaseWorld.TERM + LeaseWorld.PATIENCE + 6;
  }
}
