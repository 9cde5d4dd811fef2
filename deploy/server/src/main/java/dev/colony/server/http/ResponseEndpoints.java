package dev.colony.server.http;

import static dev.colony.server.http.ApiSources.join;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.client.RunPlace;
import dev.colony.server.Principal;
import dev.colony.server.http.ConversationEndpoints.Conversation;
import dev.colony.server.http.Endpoint.Handlers;
import dev.colony.server.http.Problems.Refusal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;

/**
 * Responses of agents. Each is a run, so that it goes on without its client, survives the end of
 * any node, and is had from any of them for 30 days; beside the run stands what its request was.
 * Its events are made of the run's end alone, so that they have the same numbers whenever they are
 * read.
 */
record ResponseEndpoints(ApiSources sources, AgentReplies agents) {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** Of what stands beside runs. */
  static final String NAMESPACE = "responses";

  /** As long as runs are kept. */
  static final Duration KEPT = Duration.ofDays(30);

  /** Of one conversation, that an agent is told of. */
  private static final int MOST_TURNS = 20;

  /** What it is told of them, in characters. */
  private static final int MOST_EARLIER = 64_000;

  /** For a run to have ended that is cancelled. */
  private static final Duration CANCELLED_SOON = Duration.ofSeconds(5);

  /** For a run to be asked for, from when it is known what its request will be. */
  private static final Duration ASKED_SOON = Duration.ofMinutes(1);

  private static final String PREVIOUS = "previous_response_id";
  private static final String PATH = "response";

  /** Items that a page of an input has. */
  private static final int USUAL_PAGE = 20;

  private static final int MOST_PAGE = 100;

  void addTo(Handlers handlers) {
    handlers.on("getResponse", this::show);
    handlers.on("cancelResponse", this::cancel);
    handlers.on("deleteResponse", this::delete);
    handlers.on("listResponseInput", this::input);
    new ConversationEndpoints(sources).addTo(handlers);
  }

  /** Asks the agent: in the background, as a stream, or waiting for its reply. */
  ApiResponse create(Call call, CompletionCall asked, AgentId agent, long now) {
    RequestFields fields = new RequestFields(asked.raw(), "");
    boolean background = fields.flag("background");
    boolean kept = fields.any("store").isEmpty() || fields.flag("store");
    boolean told = fields.any(ConversationEndpoints.PATH).isPresent();
    if ((background || told) && !kept) {
      throw OpenAiError.invalid(
          "store",
          "a response in the background or in a conversation is kept: leave store out, or say"
              + " true");
    }
    ConversationEndpoints conversations = new ConversationEndpoints(sources);
    Optional<Conversation> conversation = conversations.of(call, fields);
    Optional<String> before = fields.text(PREVIOUS);
    if (before.isPresent() && conversation.isPresent()) {
      throw OpenAiError.invalid(
          PREVIOUS, "a response goes on from a conversation or from a response, not from both");
    }
    Optional<Kept> previous =
        before
            .map(last -> read(call, last, PREVIOUS))
            .or(() ->
                conversation
                    .flatMap(Conversation::last)
                    .flatMap(ResponseId::parse)
                    .flatMap(last -> find(call.principal(), last)));
    RunOptions options = options(agents.options(call, asked), previous);
    RunId run = RunPlace.runId(agent, options);
    ResponseId id = new ResponseId(agent, options.namespace(), run);
    final String words = AgentReplies.words(asked);
    ObjectNode request = asked.raw().deepCopy().put("store", kept);
    ResponsesForms forms = new ResponsesForms(id.text(), request, now);
    final String input = previous.map(last -> earlier(call, last)).orElse("") + words;
    boolean written = kept && write(call, id, Kept.json(words, request, options, previous, now));
    Optional<Conversation> moved = Optional.empty();
    RunHandle handle;
    try {
      moved = conversation.map(from -> conversations.goOn(call, from, id.text()));
      handle =
          agents.ask(
              agent, input, options.idempotencyKey().isPresent() ? options : options.runId(run));
    } catch (RuntimeException refused) {
      moved.ifPresent(then -> conversations.goBack(call, then, conversation.orElseThrow()));
      if (written) {
        join(board(call.principal(), id).delete(id.key()));
      }
      throw refused;
    }
    if (asked.stream()) {
      return AgentReplies.streamed(handle, asked.model(), id.text(), forms.events());
    }
    return background
        ? new ApiResponse.Json(200, forms.running(), Map.of("x-colony-run", run.value()))
        : AgentReplies.whole(handle, id.text(), forms);
  }

  /** What goes on with a response of a session belongs to it. */
  private static RunOptions options(RunOptions asked, Optional<Kept> previous) {
    return asked.session().isPresent()
        ? asked
        : previous.flatMap(Kept::session).map(asked::session).orElse(asked);
  }

  private boolean write(Call call, ResponseId id, JsonNode kept) {
    Write write = Write.of(id.key(), kept).ttl(KEPT).ifAbsent();
    return join(board(call.principal(), id).write(write)) instanceof WriteResult.Written;
  }

  private Blackboard board(Principal principal, ResponseId id) {
    return sources.blackboards().open(id.agent().scope().namespace(NAMESPACE), principal.writer());
  }

  /**
   * @param param of the request, that has the id
   */
  private Kept read(Call call, String text, String param) {
    return ResponseId.parse(text)
        .flatMap(id -> find(call.principal(), id))
        .orElseThrow(() -> none(text, param));
  }

  private Optional<Kept> find(Principal principal, ResponseId id) {
    if (!principal.reaches(id.agent().tenant())) {
      throw Refusal.foreign(principal);
    }
    return join(board(principal, id).read(id.key())).map(Entry::value).map(it -> new Kept(id, it));
  }

  private static OpenAiError none(String text, String param) {
    return OpenAiError.notFound(
        "not_found",
        param,
        "there is no response %s: agents' are kept for 30 days, unless store is false"
            .formatted(text));
  }

  private ApiResponse show(Call call) {
    Kept kept = read(call, call.path(PATH), PATH);
    long after = call.number("starting_after", -1, 0, Integer.MAX_VALUE);
    if (!call.flag("stream")) {
      return state(kept, ended(kept));
    }
    RunHandle run = attached(kept, kept.id().options().timeout(agents.deadline()));
    String id = kept.id().text();
    return AgentReplies.streamed(run, kept.model(), id, kept.forms().events(after));
  }

  private static ApiResponse state(Kept kept, Optional<AgentRun> ended) {
    ResponsesForms forms = kept.forms();
    String id = kept.id().text();
    ObjectNode json =
        ended
            .map(end ->
                switch (end.status()) {
                  case COMPLETED -> forms.whole(AgentReplies.reply(end, id));
                  case FAILED -> forms.ended("failed", end.error());
                  case CANCELLED -> forms.ended("cancelled", Optional.empty());
                })
            .orElseGet(forms::running);
    return new ApiResponse.Json(200, json, Map.of("x-colony-run", kept.id().run().value()));
  }

  /** How its run ended; empty while it goes on. */
  private Optional<AgentRun> ended(Kept kept) {
    ResponseId id = kept.id();
    Optional<AgentRun> ended = join(agent(id).ended(id.run(), id.options()));
    if (ended.isEmpty()) {
      attached(kept, id.options());
    }
    return ended;
  }

  private AgentHandle agent(ResponseId id) {
    return sources.colony().agent(id.agent());
  }

  /** Its run, which may be gone before what stands beside it. */
  private RunHandle attached(Kept kept, RunOptions options) {
    RunHandle run = agent(kept.id()).attach(kept.id().run(), options);
    try {
      ApiSources.found(run.stored());
    } catch (Refusal absent) {
      throw none(kept.id().text(), PATH);
    }
    return run;
  }

  /** Waits a few seconds for the run to have ended. */
  private ApiResponse cancel(Call call) {
    call.checkEmpty();
    Kept kept = read(call, call.path(PATH), PATH);
    end(call, kept, "its response was cancelled");
    RunHandle run = attached(kept, kept.id().options().timeout(CANCELLED_SOON));
    try {
      return state(kept, Optional.of(run.join()));
    } catch (CompletionException failure) {
      if (failure.getCause() instanceof AgentException late
          && late.getCause() instanceof TimeoutException) {
        return state(kept, Optional.empty());
      }
      throw failure;
    }
  }

  private void end(Call call, Kept kept, String why) {
    ResponseId id = kept.id();
    RunOptions options = id.options().requestedBy(call.who(Optional.empty()));
    ApiSources.found(agent(id).cancel(id.run(), options, call.signed(Optional.of(why))));
  }

  /** A run that goes on is cancelled; one that has ended stays with its agent. */
  private ApiResponse delete(Call call) {
    call.checkEmpty();
    Kept kept = read(call, call.path(PATH), PATH);
    if (ended(kept).isEmpty()) {
      end(call, kept, "its response was deleted");
    }
    join(board(call.principal(), kept.id()).delete(kept.id().key()));
    ObjectNode json =
        JSON.objectNode()
            .put("id", kept.id().text())
            .put("object", "response")
            .put("deleted", true);
    return new ApiResponse.Json(200, json, Map.of());
  }

  private ApiResponse input(Call call) {
    Kept kept = read(call, call.path(PATH), PATH);
    final int most = (int) call.number("limit", USUAL_PAGE, 1, MOST_PAGE);
    List<JsonNode> items = new ArrayList<>(kept.items());
    if (call.constant("order", Order.class).orElse(Order.DESC) == Order.DESC) {
      Collections.reverse(items);
    }
    List<String> ids = items.stream().map(item -> item.path("id").asText()).toList();
    int from = call.query("after").map(after -> ids.indexOf(after) + 1).orElse(0);
    int to = Math.min(items.size(), from + most);
    ObjectNode json = JSON.objectNode().put("object", "list");
    ArrayNode data = json.putArray("data");
    data.addAll(items.subList(from, to));
    json.put("first_id", data.isEmpty() ? null : ids.get(from));
    json.put("last_id", data.isEmpty() ? null : ids.get(to - 1));
    return new ApiResponse.Json(200, json.put("has_more", to < items.size()), Map.of());
  }

  private enum Order {
    ASC,
    DESC
  }

  /** What an agent is told of a conversation that its user goes on with. */
  private String earlier(Call call, Kept last) {
    Deque<String> turns = new ArrayDeque<>();
    int length = 0;
    Optional<Kept> at = Optional.of(last);
    while (at.isPresent() && turns.size() < MOST_TURNS) {
      Kept one = at.get();
      Optional<AgentRun> ended = join(agent(one.id()).ended(one.id().run(), one.id().options()));
      if (ended.isEmpty() && (young(one) || there(one))) {
        throw OpenAiError.invalid(
            PREVIOUS, one.id().text() + " has not ended: wait for it, or cancel it");
      }
      if (ended.isEmpty()) {
        break;
      }
      AgentRun end = ended.get();
      boolean completed = end.status() == AgentRun.Status.COMPLETED;
      String turn =
          "User: " + one.words() + (completed ? "\n\nAssistant: " + AgentReplies.text(end) : "");
      length += turn.length();
      if (length > MOST_EARLIER) {
        break;
      }
      turns.addFirst(turn);
      at = one.previous().flatMap(id -> find(call.principal(), id));
    }
    return turns.isEmpty()
        ? ""
        : "What was said before, the oldest first:\n\n%s\n\nWhat the user says now:\n\n"
            .formatted(String.join("\n\n", turns));
  }

  /** Whether its run may not have been asked for yet. */
  private boolean young(Kept kept) {
    long age = sources.blackboards().clock().millis() / 1000 - kept.created();
    return age < ASKED_SOON.toSeconds();
  }

  private boolean there(Kept kept) {
    try {
      attached(kept, kept.id().options());
      return true;
    } catch (OpenAiError gone) {
      return false;
    }
  }

  /** Says where the response's run is, so that any node finds it by its id. */
  private record ResponseId(AgentId agent, String namespace, RunId run) {

    private static final String PREFIX = "resp_";

    static Optional<ResponseId> parse(String text) {
      return KeptId.parts(PREFIX, text, 5).flatMap(ResponseId::of);
    }

    private static Optional<ResponseId> of(List<String> names) {
      try {
        AgentId agent = new AgentId(names.get(0), names.get(1), names.get(2));
        agent.scope().namespace(names.get(3));
        return Optional.of(new ResponseId(agent, names.get(3), new RunId(names.get(4))));
      } catch (IllegalArgumentException none) {
        return Optional.empty();
      }
    }

    String text() {
      return KeptId.text(
          PREFIX, agent.tenant(), agent.colony(), agent.name(), namespace, run.value());
    }

    String key() {
      return "response:" + namespace + ":" + run.value();
    }

    RunOptions options() {
      return RunOptions.namespace(namespace);
    }
  }

  /**
   * What stands beside a response's run.
   *
   * @param json {@code created}, {@code words}, {@code session}, the id of the {@code previous}
   *     response, {@code request} without its input, and {@code input} as a list
   */
  private record Kept(ResponseId id, JsonNode json) {

    static ObjectNode json(
        String words,
        ObjectNode request,
        RunOptions options,
        Optional<Kept> previous,
        long created) {
      ObjectNode json = JSON.objectNode().put("created", created).put("words", words);
      previous.ifPresent(last -> json.put("previous", last.id().text()));
      options.session().ifPresent(session -> json.put("session", session.value()));
      ObjectNode rest = request.deepCopy();
      JsonNode input = rest.remove("input");
      json.set("request", rest);
      if (input.isTextual()) {
        json.putArray("input").addObject().put("role", "user").set("content", input);
      } else {
        json.set("input", input);
      }
      return json;
    }

    String words() {
      return json.path("words").asText();
    }

    long created() {
      return json.path("created").asLong();
    }

    String model() {
      return json.path("request").path("model").asText();
    }

    Optional<SessionId> session() {
      return Optional.ofNullable(json.path("session").textValue()).map(SessionId::new);
    }

    Optional<ResponseId> previous() {
      return Optional.ofNullable(json.path("previous").textValue()).flatMap(ResponseId::parse);
    }

    ResponsesForms forms() {
      ObjectNode request = json.path("request").deepCopy();
      return new ResponsesForms(id.text(), request, created());
    }

    /** Of its input, each with an id and a type, and texts as parts. */
    List<JsonNode> items() {
      List<JsonNode> items = new ArrayList<>();
      for (JsonNode given : json.path("input")) {
        ObjectNode item =
            JSON.objectNode().put("id", "in_" + items.size() + "_" + id.run().value());
        item.put("type", "message").setAll((ObjectNode) given);
        JsonNode content = given.path("content");
        if (content.isTextual()) {
          boolean said = given.path("role").asText().equals("assistant");
          item.putArray("content")
              .addObject()
              .put("type", said ? "output_text" : "input_text")
              .set("text", content);
        }
        items.add(item);
      }
      return items;
    }
  }
}
