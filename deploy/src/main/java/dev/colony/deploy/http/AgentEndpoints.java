package dev.colony.deploy.http;

import static dev.colony.deploy.http.ApiSources.found;
import static dev.colony.deploy.http.ApiSources.join;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentHandle;
import dev.colony.agent.AgentId;
import dev.colony.agent.directory.AgentStatus;
import dev.colony.agent.inspect.InspectedStep;
import dev.colony.agent.wire.Order;
import dev.colony.agent.wire.StatusJson;
import dev.colony.deploy.access.Role;
import dev.colony.deploy.agents.AgentsJson;
import dev.colony.deploy.agents.AgentsView;
import dev.colony.deploy.agents.ShownAgent;
import dev.colony.deploy.board.BoardJson;
import dev.colony.deploy.http.Endpoint.Verb;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;

/** Agents: what they are, and what they can be told. */
record AgentEndpoints(ApiSources sources, int mostOfPage) {

  static final String COLONY = "/v1/tenants/{tenant}/colonies/{colony}";
  static final String AGENTS = COLONY + "/agents";
  static final String AGENT = AGENTS + "/{agent}";

  private static final int PAGE = 100;
  private static final int LAST_STEPS = 5;

  List<Endpoint> all() {
    return List.of(
        Endpoint.of("listAgents", Verb.GET, AGENTS, Role.VIEWER, this::list, "limit", "after"),
        Endpoint.of("spawnAgent", Verb.POST, AGENTS, Role.OPERATOR, this::spawn),
        Endpoint.of("getAgent", Verb.GET, AGENT, Role.VIEWER, this::show),
        Endpoint.of("getStatus", Verb.GET, AGENT + "/status", Role.VIEWER, this::status),
        Endpoint.of("suspendAgent", Verb.POST, AGENT + "/suspend", Role.OPERATOR, this::suspend),
        Endpoint.of(
            "resumeAgent",
            Verb.POST,
            AGENT + "/resume",
            Role.OPERATOR,
            call -> told(call, AgentHandle::resume)),
        Endpoint.of(
            "signalAgent",
            Verb.POST,
            AGENT + "/signals/{name}",
            Role.OPERATOR,
            call -> told(call, (agent, reason) -> agent.signal(call.path("name"), reason))),
        Endpoint.of(
            "answerRequest",
            Verb.POST,
            AGENT + "/approvals/{request}",
            Role.OPERATOR,
            this::approve),
        Endpoint.of(
            "stopAgent",
            Verb.POST,
            AGENT + "/stop",
            Role.ADMIN,
            call -> told(call, AgentHandle::stop)));
  }

  private Answer list(Call call) {
    int most = (int) call.number("limit", PAGE, 1, mostOfPage);
    Optional<AgentId> after = call.query("after", call::agent);
    AgentsView.Page<ObjectNode> page =
        sources
            .agents()
            .ofColony(
                call.path("tenant"),
                call.path("colony"),
                most,
                after.map(AgentId::name),
                AgentsJson::agent);
    return Answer.ok(BoardJson.page("agents", page.found(), one -> one, page.next()));
  }

  private Answer spawn(Call call) {
    Order.Spawn order = call.body(json -> Order.read(json, Order.Spawn.class));
    AgentId id = call.agent(order.name());
    Optional<AgentStatus> before = join(sources.colony().agent(id).state());
    join(sources.colony().spawn(id, order.blueprint()));
    AgentStatus status = join(sources.colony().agent(id).state()).orElseThrow();
    return new Answer.Json(
        before.isPresent() ? 200 : 201, StatusJson.write(status), Map.of("Location", location(id)));
  }

  static String location(AgentId id) {
    return AGENT
        .replace("{tenant}", id.tenant())
        .replace("{colony}", id.colony())
        .replace("{agent}", id.name());
  }

  private Answer show(Call call) {
    ShownAgent agent = sources.agents().find(call.agent());
    List<InspectedStep> steps = sources.agents().steps(agent, Optional.empty(), LAST_STEPS).steps();
    return Answer.ok(AgentsJson.whole(agent, sources.agents().capabilities(agent), steps));
  }

  private Answer status(Call call) {
    return join(handle(call).state())
        .map(status -> Answer.ok(StatusJson.write(status)))
        .orElseThrow(() -> Refusal.of(Code.NOT_FOUND, "there is no agent " + call.agent()));
  }

  private Answer suspend(Call call) {
    Order.Suspend order = call.body(json -> Order.read(json, Order.Suspend.class));
    String reason = call.signed(order.reason());
    found(
        order
            .until()
            .map(until -> handle(call).suspend(reason, until))
            .orElseGet(() -> handle(call).suspend(reason)));
    return new Answer.Stored();
  }

  private Answer approve(Call call) {
    Order.Approval order = call.body(json -> Order.read(json, Order.Approval.class));
    String request = call.path("request");
    String by = call.who(Optional.of(order.by()));
    String note = order.note().orElse("");
    found(
        Call.checked(() ->
            order.granted()
                ? handle(call).approve(request, by, note)
                : handle(call).deny(request, by, note)));
    return new Answer.Stored();
  }

  private Answer told(Call call, BiFunction<AgentHandle, String, CompletionStage<Void>> tell) {
    Order.ForReason order = call.body(json -> Order.read(json, Order.ForReason.class));
    found(Call.checked(() -> tell.apply(handle(call), call.signed(order.reason()))));
    return new Answer.Stored();
  }

  private AgentHandle handle(Call call) {
    return sources.colony().agent(call.agent());
  }
}
