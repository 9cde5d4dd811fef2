package dev.colony.client.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.BlueprintChange;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.SessionId;
import dev.colony.agent.author.JsonValues;
import dev.colony.blackboard.ScopeLevel;
import dev.colony.client.wire.RunAddress.ProtocolName;
import java.util.Optional;

/** The bodies of the requests that change something, other than {@link RunRequestBody}. */
public sealed interface RequestBody {

  record Spawn(String name, AgentBlueprint blueprint) implements RequestBody {
    public Spawn {
      needed("name", name);
      needed("blueprint", blueprint);
    }
  }

  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  record Suspend(Optional<String> reason, Optional<ResumptionCondition> until)
      implements RequestBody {}

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

  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  record Approval(boolean granted, String by, Optional<String> note) implements RequestBody {
    public Approval {
      needed("by", by);
    }
  }

  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  record Revise(Optional<String> reason, BlueprintChange change) implements RequestBody {
    public Revise {
      needed("change", change);
    }
  }

  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  record Cancel(Optional<String> reason, Optional<String> requestedBy) implements RequestBody {}

  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  record Rewind(int step, Optional<String> reason) implements RequestBody {}

  record Fork(long sequenceNr, String name) implements RequestBody {
    public Fork {
      needed("name", name);
    }
  }

  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  record Open(Optional<String> by) implements RequestBody {}

  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  record Close(Optional<String> by, Optional<String> reason) implements RequestBody {}

  /**
   * A question about a mapped source.
   *
   * @param question 1 to 4,000 characters
   * @param map the id of its page map; absent means the one that was mapped last
   * @param limit how many places are to be found, 1 to 50; absent means 10
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  record Explore(String question, Optional<String> map, Optional<Integer> limit)
      implements RequestBody {
    private static final int LONGEST_QUESTION = 4_000;
    private static final int MOST = 50;

    public Explore {
      needed("question", question);
      if (question.isEmpty() || question.length() > LONGEST_QUESTION) {
        throw new IllegalArgumentException(
            "question is a text of 1 to %d characters".formatted(LONGEST_QUESTION));
      }
      if (limit.isPresent() && (limit.get() < 1 || limit.get() > MOST)) {
        throw new IllegalArgumentException(
            "limit is %d, but must be 1 to %d".formatted(limit.get(), MOST));
      }
    }
  }

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

  /**
   * The body of a request to run an agent.
   *
   * @param protocol run or work; empty for run
   * @param scope agent, session, colony or tenant; empty for agent
   * @param runId the run's id, so that asking again is safe; empty for a new one
   * @param requestedBy for people; empty for the name of the key
   * @param caller the run that sets this one off
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  record RunRequestBody(
      @JsonInclude JsonNode input,
      String namespace,
      Optional<String> protocol,
      Optional<String> scope,
      Optional<RunId> runId,
      Optional<SessionId> sessionId,
      Optional<String> requestedBy,
      Optional<Caller> caller) {

    /** A run that sets off another, and hands on its trace and its session. */
    @JsonInclude(JsonInclude.Include.NON_ABSENT)
    public record Caller(RunId runId, String trace, Optional<SessionId> sessionId) {

      public Caller {
        if (runId == null) {
          throw new IllegalArgumentException("the caller of a run needs the field runId");
        }
      }

      public static Caller of(ExecutionContext context) {
        return new Caller(context.run(), context.trace(), context.session());
      }

      /** Its context, which is of the tenant and the colony that the path names. */
      public ExecutionContext context(String tenant, String colony) {
        return new ExecutionContext(tenant, colony, sessionId, runId, trace);
      }
    }

    public RunRequestBody {
      if (input == null) {
        throw new IllegalArgumentException("a run needs an input; it may be null");
      }
      RunAddress.options(Optional.ofNullable(namespace), protocol, scope, sessionId);
    }

    /**
     * @param runId the run's, in place of an idempotency key that it may be made of
     * @param context of the run that sets this one off
     * @throws IllegalArgumentException if the protocol does not travel
     */
    public static RunRequestBody of(
        JsonNode input, RunOptions options, RunId runId, Optional<ExecutionContext> context) {
      return new RunRequestBody(
          input,
          options.namespace(),
          Optional.of(ProtocolName.of(options.protocol()))
              .filter(protocol -> protocol != ProtocolName.RUN)
              .map(ProtocolName::word),
          Optional.of(options.scope())
              .filter(scope -> scope != ScopeLevel.AGENT)
              .map(RunAddress::word),
          Optional.of(runId),
          options.session(),
          Optional.of(options.requestedBy()),
          context.map(Caller::of));
    }

    /** How the run is asked for, without what only its caller knows: how long to wait. */
    public RunOptions options() {
      RunOptions options = RunAddress.options(Optional.of(namespace), protocol, scope, sessionId);
      RunOptions named = runId.map(options::runId).orElse(options);
      return requestedBy.map(named::requestedBy).orElse(named);
    }

    /** As it is sent; {@link #fromJson} reads it back. */
    public ObjectNode toJson() {
      return (ObjectNode) JsonValues.toJson(this);
    }

    /**
     * Reads {@link #toJson} back.
     *
     * @throws IllegalArgumentException on one line, if it is none
     */
    public static RunRequestBody fromJson(JsonNode json) {
      return WireJson.request(json, RunRequestBody.class);
    }
  }
}
