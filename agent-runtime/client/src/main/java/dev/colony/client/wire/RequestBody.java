package dev.colony.client.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.BlueprintChange;
import dev.colony.agent.suspension.ResumptionCondition;
import dev.colony.schema.JsonValues;
import java.util.Optional;

/** The bodies of the requests that change something, other than {@link RunRequestBody}. */
public sealed interface RequestBody {

  /** There is to be an agent. */
  record Spawn(String name, AgentBlueprint blueprint) implements RequestBody {
    public Spawn {
      needed("name", name);
      needed("blueprint", blueprint);
    }
  }

  /** An agent is to put its state away. */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  record Suspend(Optional<String> reason, Optional<ResumptionCondition> until)
      implements RequestBody {}

  /** Something is to be done to an agent, for a reason. */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  record ForReason(Optional<String> reason) implements RequestBody {}

  /**
   * What has ended is to be purged.
   *
   * @param olderThan how long ago it must have ended, as ISO 8601 writes periods, for example
   *     PT24H; absent means any time
   * @param dryRun whether nothing is to be changed; absent means false
   * @param after {@code next} of the answer before
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  record Purge(Optional<String> olderThan, Optional<Boolean> dryRun, Optional<String> after)
      implements RequestBody {}

  /** A person's word on what a run asks for. */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  record Approval(boolean granted, String by, Optional<String> note) implements RequestBody {
    public Approval {
      needed("by", by);
    }
  }

  /** An agent is to live by another blueprint. */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  record Revise(Optional<String> reason, BlueprintChange change) implements RequestBody {
    public Revise {
      needed("change", change);
    }
  }

  /** A run is to end as cancelled. */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  record Cancel(Optional<String> reason, Optional<String> requestedBy) implements RequestBody {}

  /** An agent is to begin with another's past. */
  record Fork(long sequenceNr, String name) implements RequestBody {
    public Fork {
      needed("name", name);
    }
  }

  /** A session is to be opened. */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  record Open(Optional<String> by) implements RequestBody {}

  /** A session is to be closed. */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  record Close(Optional<String> by, Optional<String> reason) implements RequestBody {}

  /** As it is sent; {@link #read} reads it back. */
  default ObjectNode toJson() {
    return (ObjectNode) JsonValues.toJson(this);
  }

  /**
   * Reads a body.
   *
   * @throws IllegalArgumentException on one line, if it is none of that kind
   */
  static <T extends RequestBody> T read(JsonNode json, Class<T> kind) {
    return WireJson.request(json, kind);
  }

  private static void needed(String field, Object value) {
    if (value == null) {
      throw new IllegalArgumentException("the field " + field + " is missing");
    }
  }
}
