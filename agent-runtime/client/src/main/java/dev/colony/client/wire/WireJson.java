package dev.colony.client.wire;

import static java.util.Locale.ROOT;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializerBase;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunProgress;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.client.AgentView.PendingApproval;
import dev.colony.agent.client.ScopeSuspensions.ScopeSuspension;
import dev.colony.agent.client.Session;
import dev.colony.agent.client.SessionRun;
import dev.colony.agent.client.Sessions.Page;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Views as JSON and back, by the names of their components and their annotations. Lenient: what a
 * newer node adds is passed over.
 */
public final class WireJson {

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .addModule(new Jdk8Module())
          .addModule(new JavaTimeModule())
          .addModule(
              new SimpleModule()
                  .addSerializer(Scope.class, new ToStringSerializer(Scope.class))
                  .addDeserializer(Scope.class, text(Scope.class, Scope::parse))
                  .addSerializer(Position.class, new ToStringSerializer(Position.class))
                  .addDeserializer(Position.class, text(Position.class, Position::parse))
                  .addSerializer(BigDecimal.class, new Money()))
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(
                  JsonInclude.Include.NON_ABSENT, JsonInclude.Include.ALWAYS))
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
          .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(DeserializationFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
          .build();

  private WireJson() {}

  /** As text, like the cost of a run, without exponents: a reader of JSON has doubles only. */
  private static final class Money extends ToStringSerializerBase {
    private static final long serialVersionUID = 1L;

    Money() {
      super(BigDecimal.class);
    }

    @Override
    public String valueToString(Object amount) {
      return ((BigDecimal) amount).toPlainString();
    }
  }

  private static <T> StdDeserializer<T> text(Class<T> type, Function<String, T> parse) {
    return new StdDeserializer<>(type) {
      private static final long serialVersionUID = 1L;

      @Override
      public T deserialize(JsonParser json, DeserializationContext context) throws IOException {
        return parse.apply(json.getValueAsString(""));
      }
    };
  }

  /** As it is sent and printed; {@link #answer(String, JsonNode, Class)} reads it back. */
  public static ObjectNode write(Object view) {
    return MAPPER.valueToTree(view);
  }

  /**
   * Reads {@link #write} back.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static <T> T read(JsonNode json, Class<T> type) {
    try {
      return MAPPER.treeToValue(json, type);
    } catch (JsonProcessingException malformed) {
      throw new IllegalArgumentException(malformed.getOriginalMessage(), malformed);
    }
  }

  /**
   * A request's body, read strictly, since any client may send it.
   *
   * @throws IllegalArgumentException on one line, if it is none of that kind
   */
  static <T> T request(JsonNode body, Class<T> kind) {
    if (!body.isObject()) {
      throw new IllegalArgumentException(
          "the body is a JSON object, not a JSON " + body.getNodeType().name().toLowerCase(ROOT));
    }
    return kind.cast(JsonValues.read(body, kind));
  }

  /**
   * Reads {@link #write} back.
   *
   * @param what for people, should it be none
   * @throws AgentException if it is none
   */
  public static <T> T answer(String what, JsonNode json, Class<T> view) {
    return answer(what, json, one -> read(one, view));
  }

  /**
   * What an answer says.
   *
   * @throws AgentException if it does not say that
   */
  static <T> T answer(String what, JsonNode json, Function<JsonNode, T> reader) {
    try {
      return reader.apply(json);
    } catch (IllegalArgumentException | DateTimeException malformed) {
      throw new AgentException(
          "the answer is no " + what + ": " + malformed.getMessage(), malformed, false);
    }
  }

  /** The answer to a request to run an agent: the request is stored. */
  public record AcceptedRun(RunId runId, AgentId agentId) {}

  /**
   * Where a run that is known by its id alone was found.
   *
   * @param namespace that it was asked for in
   */
  public record FoundRun(RunId runId, AgentId agentId, String namespace) {}

  /**
   * What an agent, or a page of agents, asks persons for; none where they ask for nothing.
   *
   * @param next where the next page begins; empty behind the last, and for one agent
   */
  public record PendingApprovals(List<PendingApproval> approvals, Optional<String> next) {

    public PendingApprovals {
      approvals = List.copyOf(approvals);
    }
  }

  /**
   * The answer to a request to execute a run again: it is stored.
   *
   * @param attempt that the run's next one is; its first was 1
   */
  public record RunAttempt(RunId runId, int step, int attempt) {}

  /** What is suspended as a whole, the larger scopes first. */
  public record SuspendedScopes(List<ScopeSuspension> scopes) {

    public SuspendedScopes {
      scopes = List.copyOf(scopes);
    }
  }

  /**
   * Whether a run has ended.
   *
   * @param result what became of it; empty while it is under way
   */
  public record RunState(RunId runId, Optional<AgentRun> result) {

    public RunState {
      Objects.requireNonNull(runId, "runId");
    }

    @JsonProperty
    public boolean ended() {
      return result.isPresent();
    }
  }

  /** Pages of sessions and of their runs. */
  public static final class SessionPages {

    /**
     * Some of the sessions of a colony.
     *
     * @param next where the next page begins; empty behind the last
     */
    public record SessionPage(List<Session> sessions, Optional<String> next) {

      public static SessionPage of(Page<Session> page) {
        return new SessionPage(page.items(), page.next());
      }

      public Page<Session> page() {
        return new Page<>(sessions, next);
      }
    }

    /**
     * Some of the runs of a session.
     *
     * @param next where the next page begins; empty behind the last
     */
    public record SessionRunPage(List<SessionRun> runs, Optional<String> next) {

      public static SessionRunPage of(Page<SessionRun> page) {
        return new SessionRunPage(page.items(), page.next());
      }

      public Page<SessionRun> page() {
        return new Page<>(runs, next);
      }
    }

    private SessionPages() {}
  }

  /**
   * Something that a run made known, or its end.
   *
   * @param name of what happened; of the end, how it ended
   * @param end whether it is the end
   * @param token names this place in the run's events
   * @param data of the end, the run
   */
  public record RunEvent(
      RunId runId, Instant at, String name, boolean end, String token, JsonNode data) {

    public RunEvent {
      Objects.requireNonNull(runId, "runId");
      Objects.requireNonNull(at, "at");
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(token, "token");
    }

    public static RunEvent of(RunProgress progress) {
      return new RunEvent(
          progress.runId(),
          progress.at(),
          progress.name(),
          progress.end().isPresent(),
          progress.token(),
          progress.data());
    }

    /**
     * Reads what a caller sees of it.
     *
     * @throws dev.colony.agent.AgentException if it is none, or an end whose data is no run
     */
    public static RunProgress read(JsonNode event) {
      return WireJson.answer(
          "event of a run", event, json -> WireJson.read(json, RunEvent.class).progress());
    }

    private RunProgress progress() {
      Optional<AgentRun> ended = end ? Optional.of(AgentRun.fromJson(data)) : Optional.empty();
      // Numbers have the types that they have in the cluster.
      JsonNode same = ended.<JsonNode>map(AgentRun::toJson).orElse(data);
      return new RunProgress(runId, name, same, at, token, ended);
    }
  }
}
