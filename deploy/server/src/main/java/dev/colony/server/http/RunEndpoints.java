package dev.colony.server.http;

import static dev.colony.server.http.ApiSources.join;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.client.Session;
import dev.colony.agent.client.SessionRun;
import dev.colony.agent.client.Sessions;
import dev.colony.client.wire.RequestBody;
import dev.colony.client.wire.RequestBody.RunRequestBody;
import dev.colony.client.wire.RunAddress;
import dev.colony.client.wire.WireJson;
import dev.colony.client.wire.WireJson.AcceptedRun;
import dev.colony.client.wire.WireJson.FoundRun;
import dev.colony.client.wire.WireJson.RunEvent;
import dev.colony.client.wire.WireJson.RunState;
import dev.colony.client.wire.WireJson.SessionPages.SessionPage;
import dev.colony.client.wire.WireJson.SessionPages.SessionRunPage;
import dev.colony.core.dispatch.Backoff;
import dev.colony.journal.LostLogs;
import dev.colony.server.NotFoundException;
import dev.colony.server.http.ApiResponse.ServerEvent;
import dev.colony.server.http.Endpoint.Handlers;
import dev.colony.server.http.Problems.Code;
import dev.colony.server.http.Problems.Refusal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Runs: asked for, awaited, followed, ended. */
record RunEndpoints(ApiSources sources, Duration longestWait) {

  private static final String AGENT = "agent";

  private static final List<String> ADDRESS =
      List.of(RunAddress.NAMESPACE, RunAddress.PROTOCOL, RunAddress.SCOPE, RunAddress.SESSION_ID);

  void addTo(Handlers handlers) {
    handlers.on("askAgent", this::ask);
    handlers.on("spawnAndAsk", this::spawn);
    handlers.on("getRun", this::state);
    handlers.on("findRun", this::place);
    handlers.on("followRun", this::events);
    handlers.on("followAnswers", this::parts);
    handlers.on("cancelRun", this::cancel);
  }

  private ApiResponse ask(Call call) {
    return asked(call, call.agent(), RunRequestBody.fromJson(call.json()));
  }

  /** The body of a request to run with the field {@code agent} beside. */
  private ApiResponse spawn(Call call) {
    JsonNode whole = call.json();
    AgentTrial.Candidate agent = agent(whole.path(AGENT), call);
    RunRequestBody body = RunRequestBody.fromJson(without(whole, AGENT));
    AgentId id = call.agent(agent.name());
    sources.trial().enter(sources.colony(), id, agent, AGENT + ".");
    return asked(call, id, body);
  }

  /** One that is not named gets a name: the same whenever the same request is made again. */
  private AgentTrial.Candidate agent(JsonNode json, Call call) {
    if (!json.isObject()) {
      throw new IllegalArgumentException("the field agent is missing");
    }
    ObjectNode named = json.deepCopy();
    if (!named.has("name")) {
      named.put(
          "name",
          "a-" + call.header("idempotency-key").map(RunEndpoints::of).orElseGet(UUID::randomUUID));
    }
    return sources.trial().candidate(named, AGENT + ".");
  }

  private static UUID of(String key) {
    return UUID.nameUUIDFromBytes(key.getBytes(StandardCharsets.UTF_8));
  }

  private static JsonNode without(JsonNode json, String field) {
    ObjectNode rest = json.deepCopy();
    rest.remove(field);
    return rest;
  }

  private ApiResponse asked(Call call, AgentId id, RunRequestBody body) {
    // A full inbox is the caller's to wait for, which holds nothing here.
    RunOptions named =
        body.options()
            .requestedBy(call.who(body.requestedBy()))
            .giveUp(Duration.ZERO)
            .traceparent(call.traceparent());
    RunOptions options = call.header("idempotency-key").map(named::idempotencyKey).orElse(named);
    Colony colony =
        body.caller()
            .map(run -> sources.colony().within(run.context(id.tenant(), id.colony())))
            .orElse(sources.colony());
    RunHandle run = colony.agent(id).run(body.input(), options);
    join(run.stored());
    return new ApiResponse.Json(
        202,
        WireJson.write(new AcceptedRun(run.runId(), id)),
        Map.of("Location", location(id, run.runId(), options)));
  }

  private static String location(AgentId id, RunId run, RunOptions options) {
    String query =
        RunAddress.parameters(options).entrySet().stream()
            .map(one -> one.getKey() + "=" + one.getValue())
            .collect(Collectors.joining("&"));
    return AgentEndpoints.location(id) + "/runs/" + run.value() + "?" + query;
  }

  private ApiResponse state(Call call) {
    long most = longestWait.toSeconds();
    long wait = call.number("wait", 0, 0, most);
    RunId id = run(call);
    RunOptions options = address(call);
    AgentHandle agent = sources.colony().agent(call.agent());
    Optional<AgentRun> ended = join(addressed(() -> agent.ended(id, options)));
    if (ended.isPresent()) {
      return state(id, ended);
    }
    RunHandle run =
        found(agent, id, wait == 0 ? options : options.timeout(Duration.ofSeconds(wait)));
    return wait == 0
        ? state(id, Optional.empty())
        : new ApiResponse.Later(
            run.result().handle(RunEndpoints::awaited).thenApply(end -> state(id, end)));
  }

  private static ApiResponse state(RunId id, Optional<AgentRun> ended) {
    return ApiResponse.ok(new RunState(id, ended));
  }

  private static Optional<AgentRun> awaited(AgentRun ended, Throwable failure) {
    if (failure == null) {
      return Optional.of(ended);
    }
    if (Backoff.cause(failure) instanceof AgentException late
        && late.getCause() instanceof TimeoutException) {
      return Optional.empty();
    }
    throw new CompletionException(Backoff.cause(failure));
  }

  /** Of a run that the caller knows by its id alone. */
  private ApiResponse place(Call call) {
    RunId run = run(call);
    AgentId agent = call.agent();
    return ApiResponse.ok(new FoundRun(run, agent, sources.agents().namespace(agent, run)));
  }

  private ApiResponse events(Call call) {
    boolean retained = call.flag("retained");
    RunHandle run = found(sources.colony().agent(call.agent()), run(call), address(call));
    Optional<String> last = call.header("last-event-id").filter(token -> !token.isEmpty());
    Flow.Publisher<RunProgress> events =
        last.map(token -> retained ? run.retained(token) : run.events(token))
            .orElseGet(() -> retained ? run.retained() : run.events());
    return new ApiResponse.Events<>(last, events, RunEndpoints::event, true);
  }

  private ApiResponse parts(Call call) {
    RunHandle run = found(sources.colony().agent(call.agent()), run(call), address(call));
    return new ApiResponse.Events<>(
        Optional.empty(),
        run.parts(),
        part -> new ServerEvent("", ServerEvent.PART, WireJson.write(part)),
        true);
  }

  private static ServerEvent event(RunProgress progress) {
    return new ServerEvent(
        progress.token(),
        progress.end().isPresent() ? ServerEvent.END : ServerEvent.PROGRESS,
        WireJson.write(RunEvent.of(progress)));
  }

  private ApiResponse cancel(Call call) {
    RequestBody.Cancel body = call.body(RequestBody.Cancel.class);
    RunOptions options = address(call).requestedBy(call.who(body.requestedBy()));
    AgentHandle agent = sources.colony().agent(call.agent());
    RunId run = run(call);
    ApiSources.found(agent.cancel(run, options, call.signed(body.reason())));
    return new ApiResponse.Stored();
  }

  private RunHandle found(AgentHandle agent, RunId id, RunOptions options) {
    RunHandle run = addressed(() -> agent.attach(id, options));
    try {
      ApiSources.found(run.stored());
    } catch (Refusal absent) {
      throw sources
          .agents()
          .lostEvents()
          .lastRollback()
          .map(rollback -> lost(absent, rollback))
          .orElse(absent);
    }
    return run;
  }

  /** At an address that contradicts itself, there is no run. */
  private static <T> T addressed(Supplier<T> reader) {
    try {
      return reader.get();
    } catch (IllegalArgumentException none) {
      throw Refusal.of(Code.NOT_FOUND, none.getMessage());
    }
  }

  /** Its request may have been stored and acknowledged. */
  private static Refusal lost(Refusal absent, LostLogs.Rollback rollback) {
    return Refusal.of(
        Code.RUN_LOST,
        "%s; or it was, and is among what Redis has lost since %s: ask again under the same name"
            .formatted(absent.problem().detail(), rollback.since()));
  }

  private static RunId run(Call call) {
    return new RunId(call.path("run"));
  }

  private static RunOptions address(Call call) {
    Map<String, String> parameters = new HashMap<>();
    ADDRESS.forEach(name -> call.query(name).ifPresent(value -> parameters.put(name, value)));
    RunOptions options = RunAddress.options(parameters);
    call.agent().scope().namespace(options.namespace());
    return options;
  }

  record SessionEndpoints(ApiSources sources, int mostOfPage) {

    void addTo(Handlers handlers) {
      handlers.on("openSession", this::open);
      handlers.on("listSessions", this::list);
      handlers.on("getSession", this::show);
      handlers.on("closeSession", this::close);
      handlers.on("listSessionRuns", this::runs);
    }

    private ApiResponse open(Call call) {
      RequestBody.Open body = call.body(RequestBody.Open.class);
      String by = call.who(body.by());
      return ApiResponse.ok(join(sessions(call).open(id(call), by)));
    }

    private ApiResponse show(Call call) {
      return join(sessions(call).get(id(call)))
          .map(session -> ApiResponse.ok(session))
          .orElseThrow(() -> new NotFoundException("there is no session " + id(call)));
    }

    private ApiResponse close(Call call) {
      RequestBody.Close body = call.body(RequestBody.Close.class);
      String by = call.who(body.by());
      return ApiResponse.ok(join(sessions(call).close(id(call), by, body.reason().orElse(""))));
    }

    private ApiResponse list(Call call) {
      Optional<Session.State> state = call.constant("state", Session.State.class);
      return ApiResponse.ok(
          SessionPage.of(
              join(
                  sessions(call)
                      .list(state, call.limit(Sessions.PAGE, mostOfPage), call.query("after")))));
    }

    private ApiResponse runs(Call call) {
      Optional<SessionRun.Status> status = call.constant("status", SessionRun.Status.class);
      return ApiResponse.ok(
          SessionRunPage.of(
              join(
                  sessions(call)
                      .runs(
                          id(call),
                          status,
                          call.limit(Sessions.PAGE, mostOfPage),
                          call.query("after")))));
    }

    private Sessions sessions(Call call) {
      return sources.colony().sessions(call.path("tenant"), call.path("colony"));
    }

    private static SessionId id(Call call) {
      return new SessionId(call.path("session"));
    }
  }
}
