package dev.colony.vcm.table;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.vcm.PageGroupId;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The keys of the page table's entries, and what an entry or its removal means for the state. */
final class TableKeys {

  static final String REPLICA = "replica:";
  static final String GROUP = "group:";
  static final String USES = "uses:";
  static final String HOLDER = "holder:";

  private static final Logger LOG = LoggerFactory.getLogger(TableKeys.class);

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
   * What a node has said of itself.
   *
   * @throws IllegalArgumentException if it cannot be read
   */
  static NodeReport report(String key, JsonNode value) {
    return key.startsWith(REPLICA)
        ? TableJson.residency(new ReplicaId(key.substring(REPLICA.length())), value)
        : TableJson.uses(new NodeAddress(key.substring(USES.length())), value);
  }

  /** Takes an entry in; one that cannot be read is logged and left out. */
  static Optional<ResidencyChange> written(String key, JsonNode value, TableState state) {
    try {
      if (key.startsWith(REPLICA)) {
        return state.add((ReplicaResidency) report(key, value));
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
    return replica(key).flatMap(state::withdraw);
  }
}
