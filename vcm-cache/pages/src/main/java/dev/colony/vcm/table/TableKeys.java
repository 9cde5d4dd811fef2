package dev.colony.vcm.table;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.vcm.PageGroupId;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The keys of the page table's entries, and what an entry or its removal means for the state. */
final class TableKeys {

  static final String REPLICA = "replica:";
  static final String GROUP = "group:";

  private static final Logger LOG = LoggerFactory.getLogger(TableKeys.class);

  private TableKeys() {}

  static String of(ReplicaId replica) {
    return REPLICA + replica;
  }

  static String of(PageGroupId group) {
    return GROUP + group;
  }

  /** The replica that a key is about. */
  static Optional<ReplicaId> replica(String key) {
    return key.startsWith(REPLICA)
        ? Optional.of(new ReplicaId(key.substring(REPLICA.length())))
        : Optional.empty();
  }

  /** Takes an entry in; one that cannot be read is logged and left out. */
  static Optional<ResidencyChange> written(String key, JsonNode value, TableState state) {
    try {
      if (key.startsWith(REPLICA)) {
        ReplicaId replica = new ReplicaId(key.substring(REPLICA.length()));
        return state.add(TableJson.residency(replica, value));
      } else if (key.startsWith(GROUP)) {
        PageGroupId group = new PageGroupId(key.substring(GROUP.length()));
        state.add(TableJson.assignment(group, value));
      }
    } catch (IllegalArgumentException unreadable) {
      LOG.warn("page table entry {} cannot be read: {}", key, unreadable.getMessage());
    }
    return Optional.empty();
  }

  static Optional<ResidencyChange> deleted(String key, TableState state) {
    return replica(key).flatMap(state::withdraw);
  }
}
