package dev.colony.server.http;

import static dev.colony.server.http.ApiSources.join;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.client.Agents;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.inference.CallContext;
import dev.colony.server.Principal;
import dev.colony.server.http.Endpoint.Handlers;
import dev.colony.server.http.Problems.Refusal;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Conversations of OpenAI's clients with agents. Each is the name of its last response, which goes
 * on from the one before it, so that it needs no lock: of two responses at once one is refused.
 * Kept for 30 days after its last response.
 */
record ConversationEndpoints(ApiSources sources) {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  static final String PATH = "conversation";
  private static final String LAST = "last";

  void addTo(Handlers handlers) {
    handlers.on("createConversation", this::create);
    handlers.on("getConversation", this::show);
    handlers.on("deleteConversation", this::delete);
  }

  private ApiResponse create(Call call) {
    RequestFields body = new RequestFields(call.json(), "");
    body.refuse("items", "a conversation has the items of its responses");
    ObjectNode json = JSON.objectNode();
    json.put("created_at", sources.blackboards().clock().millis() / 1000);
    json.set("metadata", body.any("metadata").orElseGet(JSON::objectNode));
    CompletionCall.Extension colony = CompletionCall.Extension.of(body, 0);
    body.none();
    String named = OpenAiEndpoints.tenant(call.principal(), colony);
    String tenant = named.equals(CallContext.NO_TENANT) ? Agents.USUAL : named;
    ConversationId id = new ConversationId(tenant, UUID.randomUUID().toString());
    return shown(new Conversation(id, json, 0).write(board(call.principal(), id), json));
  }

  private ApiResponse show(Call call) {
    return shown(read(call.principal(), call.path(PATH), PATH));
  }

  /** Its responses stay. */
  private ApiResponse delete(Call call) {
    call.checkEmpty();
    Conversation gone = read(call.principal(), call.path(PATH), PATH);
    join(board(call.principal(), gone.id()).delete(gone.id().key()));
    ObjectNode json =
        JSON.objectNode()
            .put("id", gone.id().text())
            .put("object", "conversation.deleted")
            .put("deleted", true);
    return new ApiResponse.Json(200, json, Map.of());
  }

  private static ApiResponse shown(Conversation one) {
    ObjectNode json = JSON.objectNode().put("id", one.id().text()).put("object", PATH);
    json.set("created_at", one.json().path("created_at"));
    json.set("metadata", one.json().path("metadata"));
    return new ApiResponse.Json(200, json, Map.of());
  }

  /**
   * The conversation that a request names, by its id or by an object with it; empty for none.
   *
   * @throws OpenAiError if there is none
   */
  Optional<Conversation> of(Call call, RequestFields request) {
    return request
        .any(PATH)
        .map(named ->
            named.isTextual()
                ? named.textValue()
                : request.object(PATH).orElseThrow().required("id"))
        .map(id -> read(call.principal(), id, PATH));
  }

  /**
   * Has the conversation end with a response.
   *
   * @return the conversation as it is then
   * @throws OpenAiError if another has gone on from where it was read
   */
  Conversation goOn(Call call, Conversation from, String response) {
    ObjectNode next = from.json().deepCopy().put(LAST, response);
    return from.write(board(call.principal(), from.id()), next);
  }

  /** Has it end as it did before, unless another has gone on since. */
  void goBack(Call call, Conversation moved, Conversation before) {
    try {
      moved.write(board(call.principal(), moved.id()), before.json());
    } catch (OpenAiError wentOn) {
      // What it goes on from is gone: the agent is told of what was before.
    }
  }

  private Conversation read(Principal principal, String text, String param) {
    return ConversationId.parse(text)
        .flatMap(id -> find(principal, id))
        .orElseThrow(
            () -> OpenAiError.notFound("not_found", param, "there is no conversation " + text));
  }

  private Optional<Conversation> find(Principal principal, ConversationId id) {
    if (!principal.reaches(id.tenant())) {
      throw Refusal.foreign(principal);
    }
    Optional<Entry> entry = join(board(principal, id).read(id.key()));
    return entry.map(found -> new Conversation(id, (ObjectNode) found.value(), found.version()));
  }

  private Blackboard board(Principal principal, ConversationId id) {
    return sources
        .blackboards()
        .open(Scope.tenant(id.tenant()).namespace(ResponseEndpoints.NAMESPACE), principal.writer());
  }

  /** Says whose it is. */
  record ConversationId(String tenant, String name) {

    private static final String PREFIX = "conv_";

    static Optional<ConversationId> parse(String text) {
      return KeptId.parts(PREFIX, text, 2)
          .map(parts -> new ConversationId(Scope.tenant(parts.get(0)).tenant(), parts.get(1)));
    }

    String text() {
      return KeptId.text(PREFIX, tenant, name);
    }

    String key() {
      return "conversation:" + name;
    }
  }

  /**
   * As it was read.
   *
   * @param json {@code created_at}, {@code metadata} and, where there is one, {@code last}
   * @param version 0 for one that is not stored yet
   */
  record Conversation(ConversationId id, ObjectNode json, long version) {

    /** The id of its last response. */
    Optional<String> last() {
      return Optional.ofNullable(json.path(LAST).textValue());
    }

    private Conversation write(Blackboard board, ObjectNode next) {
      Write write = Write.of(id.key(), next).ttl(ResponseEndpoints.KEPT).expectVersion(version);
      return switch (join(board.write(write))) {
        case WriteResult.Written written -> new Conversation(id, next, written.version());
        case WriteResult.VersionConflict other ->
            throw OpenAiError.of(
                409,
                "conversation-locked",
                "another response is made in this conversation: wait for it, and go on from it",
                Map.of("x-should-retry", "false"));
      };
    }
  }
}
