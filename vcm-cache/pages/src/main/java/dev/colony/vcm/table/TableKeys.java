package dev.colony.vcm.table;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.table.NodeReport.ObservedResidency;
import dev.colony.vcm.table.NodeReport.PageUses;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.PageTable.ResidencyChange;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The keys of the page table's entries, and what an entry or its removal means for the state. */
final class TableKeys {

  static final String REPLICA = "replica:";
  static final String GROUP = "group:";
  static final String USES = "uses:";
  static final String OBSERVED = "observed:";
  static final String HOLDER = "holder:";

  private static final Logger LOG = LoggerFactory.getLogger(TableKeys.class);

  /** Stands between a node and a replica; neither has it in its name. */
  private static final String BY = " ";

  /** Which node observes which replica. */
  record Observation(NodeAddress node, ReplicaId replica) {}

  private TableKeys() {}

  static String of(ReplicaId replica) {
    return REPLICA + replica;
  }

  static String of(PageGroupId group) {
    return GROUP + group;
  }

  static String uses(NodeAddress node) {
    return USES + node;
  }

  static String of(Observation observation) {
    return OBSERVED + observation.node() + BY + observation.replica();
  }

  static String holder(String holder) {
    return HOLDER + holder;
  }

  /** What a key names behind one of the prefixes. */
  static Optional<String> name(String key, String prefix) {
    return key.startsWith(prefix) ? Optional.of(key.substring(prefix.length())) : Optional.empty();
  }

  /** The replica that a key is about. */
  static Optional<ReplicaId> replica(String key) {
    return name(key, REPLICA).map(ReplicaId::new);
  }

  /**
   * Which observation a key is about; empty if it is of another kind.
   *
   * @throws IllegalArgumentException if it cannot be read
   */
  static Optional<Observation> observation(String key) {
    return name(key, OBSERVED)
        .map(name -> {
          int by = name.indexOf(BY);
          return new Observation(
              new NodeAddress(name.substring(0, Math.max(0, by))),
              new ReplicaId(name.substring(by + 1)));
        });
  }

  /**
   * What a node has said of itself, or of what it calls.
   *
   * @throws IllegalArgumentException if it cannot be read
   */
  static NodeReport report(String key, JsonNode value) {
    Optional<Observation> observed = observation(key);
    if (observed.isPresent()) {
      return TableJson.observed(observed.get().node(), observed.get().replica(), value);
    }
    return key.startsWith(REPLICA)
        ? TableJson.residency(new ReplicaId(key.substring(REPLICA.length())), value)
        : TableJson.uses(new NodeAddress(key.substring(USES.length())), value);
  }

  /** Takes an entry in; one that cannot be read is logged and left out. */
  static Optional<ResidencyChange> written(String key, JsonNode value, TableState state) {
    try {
      if (key.startsWith(REPLICA)) {
        return state.add((ReplicaResidency) report(key, value));
      } else if (key.startsWith(OBSERVED)) {
        return state.add((ObservedResidency) report(key, value));
      } else if (key.startsWith(USES)) {
        state.add((PageUses) report(key, value));
      } else if (key.startsWith(HOLDER)) {
        state.add(TableJson.leases(key.substring(HOLDER.length()), value));
      } else if (key.startsWith(GROUP)) {
        PageGroupId group = new PageGroupId(key.substring(GROUP.length()));
        state.add(TableJson.assignment(group, value));
      }
    } catch (IllegalArgumentException unreadable) {
      LOG.warn("page table entry {} cannot be read: {}", key, unreadable.getMessage());
    }
    return Optional.empty();
  }

  static Optional<ResidencyChange> deleted(String key, Instant at, TableState state) {
    name(key, USES).ifPresent(node -> state.withdrawUses(new NodeAddress(node)));
    name(key, HOLDER).ifPresent(holder -> state.withdrawLeases(holder, at));
    return observation(key)
        .flatMap(state::withdraw)
        .or(() -> replica(key).flatMap(state::withdraw));
  }
}
