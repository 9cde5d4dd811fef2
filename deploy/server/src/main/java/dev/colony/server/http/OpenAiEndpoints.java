package dev.colony.server.http;

import static dev.colony.server.http.ApiSources.join;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.blackboard.Scope;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.ModelChoice;
import dev.colony.inference.OfferedModel;
import dev.colony.inference.PromptPage;
import dev.colony.server.access.Principal;
import dev.colony.server.access.Role;
import dev.colony.server.http.Endpoint.Reach;
import dev.colony.server.http.Endpoint.Verb;
import dev.colony.server.openai.ChatCompletionsForms;
import dev.colony.server.openai.ChatCompletionsRequest;
import dev.colony.server.openai.CompletionCall;
import dev.colony.server.openai.OpenAiError;
import dev.colony.server.openai.ReplyEvents;
import dev.colony.server.openai.ReplyForms;
import dev.colony.server.openai.ResponsesForms;
import dev.colony.server.openai.ResponsesRequest;
import dev.colony.vcm.PageFault;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageRefused;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionException;

/**
 * What OpenAI's clients ask: models and agents, by OpenAI's protocols. Every answer of these paths,
 * errors too, has OpenAI's form.
 */
record OpenAiEndpoints(ApiSources sources, HttpSettings settings) {

  /** What OpenAI's paths begin with behind {@code v1}, those that are not served among them. */
  private static final Set<String> ROOTS =
      Set.of(
          "assistants",
          "audio",
          "batches",
          "chat",
          "chatkit",
          "completions",
          "containers",
          "conversations",
          "edits",
          "embeddings",
          "engines",
          "evals",
          "files",
          "fine_tuning",
          "fine-tunes",
          "images",
          "models",
          "moderations",
          "organization",
          "projects",
          "realtime",
          "responses",
          "skills",
          "threads",
          "uploads",
          "vector_stores",
          "videos");

  private static final String VERSION = "v1";

  private static final String AGENT = "agent:";
  private static final String TAG = "tag:";

  /** The one that has no name, and its id where no server says what it serves. */
  private static final String DEFAULT = "default";

  /** Who is said to own what is listed. */
  private static final String OWNER = "colony";

  /**
   * Whether a path is one of OpenAI's API, also where a client's base address has lost the version
   * or has it twice.
   *
   * @param segments decoded, none of them empty
   */
  static boolean of(List<String> segments) {
    return segments.stream()
        .dropWhile(VERSION::equals)
        .findFirst()
        .filter(ROOTS::contains)
        .isPresent();
  }

  /** That a path of OpenAI's API is not served. */
  static OpenAiError notServed(String method, String path) {
    return OpenAiError.notFound(
        "not_found",
        null,
        "%s %s is not served; of OpenAI's API there are POST /v1/chat/completions, POST /v1/responses and GET /v1/models"
            .formatted(method, path));
  }

  List<Endpoint> all() {
    return List.of(
        endpoint(
            "createChatCompletion", Verb.POST, "/v1/chat/completions", Role.OPERATOR, this::chat),
        endpoint("createResponse", Verb.POST, "/v1/responses", Role.OPERATOR, this::responses),
        endpoint("listModels", Verb.GET, "/v1/models", Role.VIEWER, this::models),
        endpoint("getModel", Verb.GET, "/v1/models/{model}", Role.VIEWER, this::model));
  }

  private static Endpoint endpoint(
      String operationId, Verb verb, String path, Role least, Endpoint.Handler handler) {
    return new Endpoint(
        operationId, verb, new PathTemplate(path), least, Reach.NO_TENANT, Set.of(), handler);
  }

  private ApiResponse chat(Call call) {
    CompletionCall asked =
        ChatCompletionsRequest.parse(
            call.body(json -> json), settings.openAi().replyTokens(), settings.openAi().pages());
    String id = "chatcmpl-" + UUID.randomUUID();
    return answer(call, asked, id, new ChatCompletionsForms(id, asked, now()));
  }

  private ApiResponse responses(Call call) {
    CompletionCall asked =
        ResponsesRequest.parse(
            call.body(json -> json), settings.openAi().replyTokens(), settings.openAi().pages());
    String id = "resp_" + UUID.randomUUID().toString().replace("-", "");
    return answer(call, asked, id, new ResponsesForms(id, asked, now()));
  }

  private long now() {
    return sources.blackboards().clock().millis() / 1000;
  }

  private ApiResponse answer(Call call, CompletionCall asked, String id, ReplyForms forms) {
    if (asked.model().startsWith(AGENT)) {
      return agent(call, asked, id, forms);
    }
    InferenceGateway gateway = sources.models().gateway();
    String tenant = tenant(call.principal(), asked.colony());
    InferenceRequest request =
        asked.request(
            id,
            choice(asked.model()),
            pages(asked.colony().pages(), tenant),
            CallContext.of(tenant, settings.openAi().deadline()));
    Map<String, String> headers = Map.of("x-request-id", id);
    if (asked.stream()) {
      ReplyEvents events = forms.events();
      return new ApiResponse.Parts<>(gateway.stream(request), events::of, events::failed, headers);
    }
    return new ApiResponse.Whole<>(
        gateway.complete(request).toCompletableFuture(), forms::whole, headers);
  }

  /** Of a key that has one, that; another key may say which. */
  private static String tenant(Principal principal, CompletionCall.Extension colony) {
    Optional<String> named = colony.tenant();
    named.ifPresent(name -> {
      Call.checked(() -> Scope.tenant(name));
      if (!principal.reaches(name)) {
        throw Refusal.of(
            Code.FORBIDDEN,
            "key %s is of tenant %s only".formatted(principal.name(), principal.tenant()));
      }
    });
    return named.orElse(principal.everyTenant() ? CallContext.NO_TENANT : principal.tenant());
  }

  private List<PromptPage> pages(List<String> ids, String tenant) {
    if (ids.isEmpty()) {
      return List.of();
    }
    try {
      return join(sources.models().pages().of(tenant).pages(ids.stream().map(PageId::new).toList()))
          .stream()
          .map(page ->
              new PromptPage(
                  page.id().value(), page.text(), page.sizeTokens(), page.label().sensitivity()))
          .toList();
    } catch (IllegalArgumentException wrong) {
      throw OpenAiError.invalid("colony.pages", wrong.getMessage());
    } catch (CompletionException failure) {
      if (failure.getCause() instanceof PageFault absent) {
        throw OpenAiError.invalid("colony.pages", absent.getMessage());
      }
      if (failure.getCause() instanceof PageRefused refused) {
        throw OpenAiError.invalid("colony.pages", refused.getMessage());
      }
      throw failure;
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

  private ApiResponse agent(Call call, CompletionCall asked, String id, ReplyForms forms) {
    String[] names = asked.model().substring(AGENT.length()).split("/", -1);
    if (names.length != 3) {
      throw OpenAiError.invalid(
          "model", "an agent is asked as agent:TENANT/COLONY/NAME, not " + asked.model());
    }
    AgentId agent = Call.checked(() -> new AgentId(names[0], names[1], names[2]));
    if (!call.principal().reaches(agent.tenant())) {
      throw Refusal.of(
          Code.FORBIDDEN,
          "key %s is of tenant %s only"
              .formatted(call.principal().name(), call.principal().tenant()));
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
    return new AgentReplies(sources.colony(), settings.openAi().deadline())
        .answer(call, asked, agent, id, forms);
  }
}
