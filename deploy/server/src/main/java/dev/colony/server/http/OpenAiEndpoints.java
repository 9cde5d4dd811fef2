package dev.colony.server.http;

import static dev.colony.server.http.ApiSources.join;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.TraceParent;
import dev.colony.blackboard.Scope;
import dev.colony.inference.CallContext;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.ModelChoice;
import dev.colony.inference.OfferedModel;
import dev.colony.inference.Prompt;
import dev.colony.inference.PromptPage;
import dev.colony.server.Principal;
import dev.colony.server.http.ChatCompletionsForms.ChatCompletionsRequest;
import dev.colony.server.http.Endpoint.Handlers;
import dev.colony.server.http.MessagesForms.MessagesRequest;
import dev.colony.server.http.Problems.ErrorForm;
import dev.colony.server.http.Problems.Refusal;
import dev.colony.server.http.ReplyForms.ReplyEvents;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageStore.PageFault;
import dev.colony.vcm.PageStore.PageRefused;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.apache.pekko.stream.javadsl.Source;
import org.reactivestreams.FlowAdapters;

/**
 * What OpenAI's and Anthropic's clients ask: models and agents, by their protocols. Every answer of
 * these paths, errors too, has the form of its protocol.
 */
record OpenAiEndpoints(ApiSources sources, HttpSettings.Bounds bounds, Duration deadline) {

  /** What OpenAI's paths begin with behind {@code v1}, those that are not served among them. */
  private static final Set<String> ROOTS =
      Set.of(
          ("assistants audio batches chat chatkit completions containers "
                  + "conversations edits embeddings engines evals files fine_tuning fine-tunes "
                  + "images models moderations organization projects realtime responses skills "
                  + "threads uploads vector_stores videos")
              .split(" "));

  /** What those of Anthropic's that models are asked by begin with. */
  private static final String MESSAGES = "messages";

  private static final String VERSION = "v1";

  /** Headers by which vLLM's clients say what stands in the body elsewhere. */
  static final String SESSION = "x-session-id";

  static final String PRIORITY = "x-vllm-priority";

  private static final String AGENT = "agent:";
  private static final String TAG = "tag:";

  /** The one that has no name, and its id where no server says what it serves. */
  private static final String DEFAULT = "default";

  private static final String OWNER = "colony";

  /**
   * The form of errors on a path of OpenAI's or Anthropic's API, also where a client's base address
   * has lost the version or has it twice; empty for other paths.
   *
   * @param segments decoded, none of them empty
   */
  static Optional<ErrorForm> form(List<String> segments) {
    return segments.stream()
        .dropWhile(VERSION::equals)
        .findFirst()
        .filter(root -> root.equals(MESSAGES) || ROOTS.contains(root))
        .map(root -> root.equals(MESSAGES) ? ErrorForm.ANTHROPIC : ErrorForm.OPENAI);
  }

  /** That a path of OpenAI's or Anthropic's API is not served. */
  static OpenAiError notServed(String method, String path) {
    return OpenAiError.notFound(
        "not_found",
        null,
        "%s %s is not served; there are POST /v1/chat/completions, /v1/responses, /v1/embeddings, /v1/messages and /v1/messages/count_tokens, and GET /v1/models"
            .formatted(method, path));
  }

  void addTo(Handlers handlers) {
    handlers.on("createChatCompletion", this::chat);
    handlers.on("createResponse", this::responses);
    new ResponseEndpoints(sources, agents()).addTo(handlers);
    handlers.on("createEmbedding", this::embeddings);
    handlers.on("createMessage", this::messages);
    handlers.on("countMessageTokens", this::tokens);
    handlers.on("listModels", this::models);
    handlers.on("getModel", this::model);
  }

  private ApiResponse chat(Call call) {
    CompletionCall asked =
        ChatCompletionsRequest.parse(body(call), bounds.replyTokens(), bounds.pages());
    String id = "chatcmpl-" + UUID.randomUUID();
    return answer(call, asked, id, new ChatCompletionsForms(id, asked, now()));
  }

  private ApiResponse responses(Call call) {
    CompletionCall asked = ResponsesRequest.parse(body(call), bounds.replyTokens(), bounds.pages());
    if (agent(asked.model())) {
      AgentId agent = agentId(call, asked);
      return new ResponseEndpoints(sources, agents()).create(call, asked, agent, now());
    }
    String id = "resp_" + UUID.randomUUID().toString().replace("-", "");
    return answer(call, asked, id, new ResponsesForms(id, asked.raw().put("store", false), now()));
  }

  private ApiResponse messages(Call call) {
    CompletionCall asked = MessagesRequest.parse(body(call), bounds.pages());
    String id = "msg_" + UUID.randomUUID().toString().replace("-", "");
    return answer(call, asked, id, new MessagesForms(id, asked));
  }

  private ApiResponse embeddings(Call call) {
    EmbeddingsForms asked = EmbeddingsForms.parse(body(call));
    if (agent(asked.model())) {
      throw OpenAiError.invalid("model", "an agent embeds no texts: name a model");
    }
    String id = "embd-" + UUID.randomUUID();
    InferenceRequest request =
        asked.request(
            id,
            choice(asked.model()),
            CallContext.of(tenant(call.principal(), asked.colony()), deadline)
                .session(call.header(SESSION))
                .traceparent(call.traceparent().map(TraceParent::toString)));
    return new ApiResponse.Whole<>(
        sources.models().gateway().embed(request).toCompletableFuture(),
        asked::whole,
        OpenAiError::toJson,
        Map.of("x-request-id", id));
  }

  /** Estimated: no model server is asked. */
  private ApiResponse tokens(Call call) {
    CompletionCall asked = MessagesRequest.counted(call.json(), bounds.pages());
    String tenant = tenant(call.principal(), asked.colony());
    List<ChatMessage> said = new ArrayList<>(asked.messages());
    asked.form().tools().forEach(tool -> said.add(new ChatMessage.User(tool.toString())));
    Prompt prompt = new Prompt(asked.preamble(), pages(asked.colony().pages(), tenant), said);
    return new ApiResponse.Json(
        200,
        JsonNodeFactory.instance
            .objectNode()
            .put("input_tokens", Math.max(1, prompt.estimatedTokens())),
        Map.of());
  }

  /** With the priority that the engine's own header has, where the body has none. */
  private static JsonNode body(Call call) {
    JsonNode body = call.json();
    Optional<String> priority = call.header(PRIORITY);
    if (priority.isPresent() && body instanceof ObjectNode fields && !fields.has("priority")) {
      try {
        fields.put("priority", Integer.parseInt(priority.get()));
      } catch (NumberFormatException wrong) {
        throw OpenAiError.invalid(
            PRIORITY, "%s must be an integer, not %s".formatted(PRIORITY, priority.get()));
      }
    }
    return body;
  }

  private long now() {
    return sources.blackboards().clock().millis() / 1000;
  }

  private ApiResponse answer(Call call, CompletionCall asked, String id, ReplyForms forms) {
    if (agent(asked.model())) {
      return agents().answer(call, asked, agentId(call, asked), id, forms);
    }
    InferenceGateway gateway = sources.models().gateway();
    String tenant = tenant(call.principal(), asked.colony());
    InferenceRequest request =
        asked.request(
            id,
            choice(asked.model()),
            pages(asked.colony().pages(), tenant),
            CallContext.of(tenant, deadline)
                .session(call.header(SESSION))
                .traceparent(call.traceparent().map(TraceParent::toString)));
    Map<String, String> headers = Map.of("x-request-id", id);
    if (asked.stream()) {
      ReplyEvents events = forms.events();
      return new ApiResponse.Parts<>(
          Source.fromPublisher(FlowAdapters.toPublisher(gateway.stream(request))),
          events::of,
          events::failed,
          headers);
    }
    return new ApiResponse.Whole<>(
        gateway.complete(request).toCompletableFuture(), forms::whole, forms::failed, headers);
  }

  /** Of a key that has one, that; another key may say which. */
  static String tenant(Principal principal, CompletionCall.Extension colony) {
    Optional<String> named = colony.tenant();
    named.ifPresent(name -> {
      Scope.tenant(name);
      if (!principal.reaches(name)) {
        throw Refusal.foreign(principal);
      }
    });
    return named.orElse(principal.everyTenant() ? CallContext.NO_TENANT : principal.tenant());
  }

  private List<PromptPage> pages(List<String> ids, String tenant) {
    if (ids.isEmpty()) {
      return List.of();
    }
    try {
      return sources
          .models()
          .pages()
          .of(tenant)
          .pages(ids.stream().map(PageId::new).toList())
          .stream()
          .map(page ->
              new PromptPage(
                  page.id().value(), page.text(), page.sizeTokens(), page.label().sensitivity()))
          .toList();
    } catch (IllegalArgumentException wrong) {
      throw OpenAiError.invalid("colony.pages", wrong.getMessage());
    } catch (PageFault | PageRefused unread) {
      throw OpenAiError.invalid("colony.pages", unread.getMessage());
    }
  }

  /** One that no server has named yet may be any: then the reply says which it was. */
  private ModelChoice choice(String model) {
    if (model.startsWith(TAG)) {
      return ModelChoice.tagged(model.substring(TAG.length()).split(","));
    }
    OfferedModel offered = offered(model);
    return offered.name().isEmpty() ? ModelChoice.DEFAULT : ModelChoice.named(offered.name());
  }

  /** By its name, or by its server's. */
  private OfferedModel offered(String model) {
    List<OfferedModel> all = join(sources.models().gateway().servedModels());
    return all.stream()
        .filter(one -> one.name().equals(model))
        .findFirst()
        .or(() -> all.stream().filter(one -> one.served().equals(model)).findFirst())
        .or(() ->
            all.stream()
                .filter(OfferedModel::usual)
                .filter(one -> one.served().isEmpty() || model.equals(DEFAULT))
                .findFirst())
        .orElseThrow(() ->
            OpenAiError.notFound(
                "model_not_found",
                "model",
                "there is no model %s; /v1/models lists those there are".formatted(model)));
  }

  private ApiResponse models(Call call) {
    ObjectNode list = JsonNodeFactory.instance.objectNode().put("object", "list");
    ArrayNode data = list.putArray("data");
    join(sources.models().gateway().servedModels()).forEach(model -> data.add(shown(model)));
    return new ApiResponse.Json(200, list, Map.of());
  }

  private ApiResponse model(Call call) {
    return new ApiResponse.Json(200, shown(offered(call.path("model"))), Map.of());
  }

  private static JsonNode shown(OfferedModel model) {
    String named = model.name().isEmpty() ? model.served() : model.name();
    String id = named.isEmpty() ? DEFAULT : named;
    ObjectNode json =
        JsonNodeFactory.instance
            .objectNode()
            .put("id", id)
            .put("object", "model")
            .put("created", 0)
            .put("owned_by", OWNER);
    model.contextTokens().ifPresent(tokens -> json.put("max_model_len", tokens));
    if (!model.served().isEmpty()) {
      json.put("root", model.served());
    }
    return json;
  }

  private AgentReplies agents() {
    return new AgentReplies(sources.colony(), deadline);
  }

  /** Whether what is called so is an agent. */
  static boolean agent(String model) {
    return model.startsWith(AGENT);
  }

  private static AgentId agentId(Call call, CompletionCall asked) {
    String[] names = asked.model().substring(AGENT.length()).split("/", -1);
    if (names.length != 3) {
      throw OpenAiError.invalid(
          "model", "an agent is asked as agent:TENANT/COLONY/NAME, not " + asked.model());
    }
    AgentId agent = new AgentId(names[0], names[1], names[2]);
    if (!call.principal().reaches(agent.tenant())) {
      throw Refusal.foreign(call.principal());
    }
    tenant(call.principal(), asked.colony());
    asked
        .colony()
        .tenant()
        .filter(named -> !named.equals(agent.tenant()))
        .ifPresent(other -> {
          throw OpenAiError.invalid(
              "colony.tenant",
              "colony.tenant is %s, but the agent is one of %s".formatted(other, agent.tenant()));
        });
    return agent;
  }
}
