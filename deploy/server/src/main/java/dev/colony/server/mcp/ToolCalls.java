package dev.colony.server.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.TraceParent;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.RunHandle;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Write;
import dev.colony.client.wire.Problem;
import dev.colony.client.wire.WireJson;
import dev.colony.client.wire.WireJson.AcceptedRun;
import dev.colony.client.wire.WireJson.RunState;
import dev.colony.core.dispatch.Backoff;
import dev.colony.mcp.ProtocolJson;
import dev.colony.server.AgentViews.AgentDetails;
import dev.colony.server.AgentViews.AgentPage;
import dev.colony.server.AgentViews.AgentSummary;
import dev.colony.server.AgentsReader;
import dev.colony.server.Explorer;
import dev.colony.server.Explorer.Explored;
import dev.colony.server.NotFoundException;
import dev.colony.server.Principal;
import dev.colony.server.Principal.Role;
import dev.colony.server.ShownAgent;
import dev.colony.server.ShownAgent.AgentFilter;
import dev.colony.server.mcp.AgentTools.ColonyTool;
import dev.colony.server.mcp.McpServer.McpAnswer;
import dev.colony.server.mcp.McpServer.McpCaller;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ErrorCodes;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls of tools. What an agent or the cluster refuses is a result with {@code isError}, for the
 * model to read; what the protocol or the key does not allow is an error of the protocol. Its
 * methods block, but not for a run.
 */
record ToolCalls(Colony colony, AgentsReader agents, Explorer explorer, CallRecords records) {

  private static final Logger LOG = LoggerFactory.getLogger(ToolCalls.class);

  private static final String NAMESPACE = "mcp";
  private static final int LAST_STEPS = 5;

  /**
   * @param id of the request
   * @throws McpError if there is no such tool, or the key's role does not reach it
   */
  McpAnswer call(McpCaller caller, Object id, CallToolRequest request) {
    ObjectNode arguments =
        request.arguments() == null
            ? ProtocolJson.object()
            : (ObjectNode) ProtocolJson.tree(request.arguments());
    Optional<ColonyTool> tool = ColonyTool.named(request.name());
    Optional<AgentId> asked = AgentTools.agent(caller, request.name());
    if (tool.isEmpty() && asked.isEmpty()) {
      throw invalid("there is no tool " + request.name());
    }
    Role least = tool.map(ColonyTool::least).orElse(Role.OPERATOR);
    Principal principal = caller.principal();
    if (!principal.role().covers(least)) {
      throw invalid(
          "%s has the role %s, and %s needs %s"
              .formatted(principal.title(), principal.role(), request.name(), least));
    }
    if (least.covers(Role.OPERATOR)) {
      caller.acting().accept(request.name());
    }
    try {
      tool.flatMap(one -> AgentTools.wrong(one.schema(), arguments))
          .ifPresent(wrong -> {
            throw new IllegalArgumentException(wrong);
          });
      return asked
          .map(agent -> asked(caller, id, request, agent, arguments))
          .orElseGet(() -> answer(caller, id, request, tool.orElseThrow(), arguments));
    } catch (RuntimeException failure) {
      return response(id, failed(failure));
    }
  }

  private McpAnswer answer(
      McpCaller caller, Object id, CallToolRequest request, ColonyTool tool, ObjectNode given) {
    return switch (tool) {
      case RUN_AGENT -> {
        AgentId agent = caller.agent(given.path("agent").asText());
        Duration wait =
            given.has("wait_seconds")
                ? Duration.ofSeconds(given.path("wait_seconds").asLong())
                : McpServer.LONGEST_WAIT;
        String namespace = given.path("namespace").asText(NAMESPACE);
        yield run(caller, id, request, agent, given.get("input"), namespace, wait);
      }
      case LIST_AGENTS -> response(id, list(caller, given));
      case EXPLORE -> {
        Explored found =
            explorer.explore(
                given.path("question").asText(),
                text(given, "map"),
                given.path("limit").asInt(Explorer.USUAL),
                caller.tenant());
        yield response(id, result(WireJson.write(found), found.toText(), false));
      }
      case AGENT_STATUS -> response(id, status(caller.agent(given.path("agent").asText())));
      case RUN_STATUS -> response(id, runStatus(caller, given));
      case CANCEL_RUN -> {
        AgentId agent = caller.agent(given.path("agent").asText());
        RunId run = new RunId(given.path("run").asText());
        yield told(
            id,
            handle(agent)
                .cancel(
                    run,
                    options(caller, agents.namespace(agent, run)),
                    signed(caller, given.path("reason").asText())),
            "the run " + run + " is told to end");
      }
      case SIGNAL_AGENT -> {
        AgentId agent = caller.agent(given.path("agent").asText());
        String signal = given.path("signal").asText();
        yield told(
            id,
            handle(agent).signal(signal, signed(caller, given.path("reason").asText())),
            "%s is told of %s".formatted(agent.name(), signal));
      }
      case ANSWER_REQUEST -> {
        AgentHandle agent = handle(caller.agent(given.path("agent").asText()));
        String asks = given.path("request").asText();
        String by = signed(caller, "");
        String note = given.path("note").asText();
        boolean granted = given.path("granted").asBoolean();
        yield told(
            id,
            granted ? agent.approve(asks, by, note) : agent.deny(asks, by, note),
            "%s is %s".formatted(asks, granted ? "approved" : "denied"));
      }
    };
  }

  private McpAnswer asked(
      McpCaller caller, Object id, CallToolRequest request, AgentId agent, ObjectNode given) {
    var io = AgentTools.io(agents.find(agent));
    JsonNode input = given;
    Optional<String> wrong = io.wrongInput(given);
    if (io.inputs().isEmpty()) {
      input = given.path("input");
      wrong =
          input.isTextual() && given.size() == 1
              ? Optional.empty()
              : Optional.of("give the text input, and nothing else");
    }
    if (wrong.isPresent()) {
      throw new IllegalArgumentException(wrong.get());
    }
    return run(caller, id, request, agent, input, NAMESPACE, McpServer.LONGEST_WAIT);
  }

  private McpAnswer run(
      McpCaller caller,
      Object id,
      CallToolRequest request,
      AgentId agent,
      JsonNode input,
      String namespace,
      Duration wait) {
    if (handle(agent).state().join().isEmpty()) {
      throw new NotFoundException("there is no agent " + agent);
    }
    RunOptions named =
        options(caller, namespace).giveUp(Duration.ZERO).traceparent(span(caller, request));
    Optional<String> call = caller.call(ProtocolJson.tree(id));
    RunHandle run = handle(agent).run(input, call.map(named::idempotencyKey).orElse(named));
    run.stored().join();
    if (wait.isZero()) {
      return response(id, result(WireJson.write(new AcceptedRun(run.runId(), agent)), false));
    }
    call.ifPresent(name -> records.write(caller, name, agent, run.runId(), namespace));
    Duration longest = wait.compareTo(McpServer.LONGEST_WAIT) < 0 ? wait : McpServer.LONGEST_WAIT;
    AtomicBoolean answered = new AtomicBoolean();
    return new McpAnswer.Messages(
        new RunMessages(
                run,
                id,
                Optional.ofNullable(request.meta()).map(meta -> meta.get("progressToken")),
                longest,
                new RunMessages.Forms(
                    ended -> ended(agent, namespace, ended),
                    late(agent, run.runId(), namespace),
                    this::failed,
                    answered))
            .source(),
        id,
        () -> {
          if (caller.stateless() && !answered.get()) {
            String why = signed(caller, "the MCP client closed its call");
            handle(agent).cancel(run.runId(), options(caller, namespace), why).join();
          }
        });
  }

  private CallToolResult list(McpCaller caller, ObjectNode given) {
    AgentFilter filter =
        new AgentFilter(
            given.path("prefix").asText(),
            Optional.empty(),
            text(given, "state").map(ToolCalls::state),
            Optional.empty(),
            false);
    AgentsReader.Page<AgentSummary> page =
        agents.list(
            Optional.of(caller.tenant()),
            Optional.of(caller.colony()),
            filter,
            new AgentsReader.PageSize(McpServer.PAGE, McpServer.PAGE),
            text(given, "after").map(caller::agent),
            AgentSummary::of);
    return result(
        WireJson.write(new AgentPage(page.found(), page.next().map(AgentId::name))), false);
  }

  private static AgentState state(String word) {
    return Arrays.stream(AgentState.values())
        .filter(one -> one.name().equalsIgnoreCase(word))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "state is one of " + Arrays.toString(AgentState.values()) + ", not: " + word));
  }

  private CallToolResult status(AgentId id) {
    ShownAgent agent = agents.find(id);
    return result(
        WireJson.write(
            AgentDetails.of(
                agent,
                agents.capabilities(agent),
                agents.steps(agent, Optional.empty(), LAST_STEPS).steps())),
        false);
  }

  private CallToolResult runStatus(McpCaller caller, ObjectNode given) {
    AgentId agent = caller.agent(given.path("agent").asText());
    RunId run = new RunId(given.path("run").asText());
    String namespace = agents.namespace(agent, run);
    return handle(agent)
        .ended(run, RunOptions.namespace(namespace))
        .join()
        .map(ended -> ended(agent, namespace, ended))
        .orElseGet(() -> result(WireJson.write(new RunState(run, Optional.empty())), false));
  }

  private McpAnswer told(Object id, CompletableFuture<Void> stored, String words) {
    stored.join();
    return response(id, CallToolResult.builder().addTextContent(words).build());
  }

  private CallToolResult ended(AgentId agent, String namespace, AgentRun run) {
    ObjectNode whole = place(agent, namespace);
    whole.setAll(WireJson.write(run));
    boolean failed = run.status() != AgentRun.Status.COMPLETED;
    String text =
        run.error()
            .map(error -> run.status() + ": " + error)
            .orElseGet(
                () -> run.output().isTextual() ? run.output().asText() : run.output().toString());
    return result(whole, text, failed);
  }

  private CallToolResult late(AgentId agent, RunId run, String namespace) {
    ObjectNode whole = place(agent, namespace);
    whole.setAll(WireJson.write(new RunState(run, Optional.empty())));
    return result(
        whole,
        "The run %s goes on; run_status with agent %s and this run tells when it has ended."
            .formatted(run, agent.name()),
        false);
  }

  private static ObjectNode place(AgentId agent, String namespace) {
    return ProtocolJson.object().put("agentId", agent.persistenceId()).put("namespace", namespace);
  }

  private CallToolResult result(ObjectNode whole, boolean failed) {
    return result(whole, whole.toString(), failed);
  }

  /** What is larger than may be is not cut, but left out with its size. */
  private CallToolResult result(ObjectNode whole, String text, boolean failed) {
    int bytes = whole.toString().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > McpServer.OUTPUT) {
      return CallToolResult.builder()
          .addTextContent(
              "The result has %d bytes, more than the %d that a tool gives: read it over the HTTP API"
                  .formatted(bytes, McpServer.OUTPUT))
          .structuredContent(
              ProtocolJson.map(whole.retain("agentId", "namespace", "runId", "status")))
          .isError(true)
          .build();
    }
    return CallToolResult.builder()
        .addTextContent(text)
        .structuredContent(ProtocolJson.map(whole))
        .isError(failed)
        .build();
  }

  private CallToolResult failed(Throwable failure) {
    return CallToolResult.builder().addTextContent(words(failure)).isError(true).build();
  }

  /** What a caller is told of a failure; faults of ours are logged. */
  static String words(Throwable failure) {
    Throwable cause = Backoff.cause(failure);
    if (cause instanceof NotFoundException absent) {
      return absent.getMessage();
    }
    Problem problem = Problem.of(cause);
    if (problem.code().equals(Problem.INTERNAL)) {
      LOG.error("a request of the protocol failed by a fault of ours", cause);
    }
    return problem.detail();
  }

  /** The span that a call is: what is said beside its parameters goes before the header. */
  private static Optional<TraceParent> span(McpCaller caller, CallToolRequest request) {
    return Optional.ofNullable(request.meta())
        .map(meta -> meta.get(TraceParent.HEADER))
        .flatMap(text -> TraceParent.parse(text.toString()))
        .or(caller::traceparent);
  }

  private AgentHandle handle(AgentId agent) {
    return colony.agent(agent);
  }

  private static RunOptions options(McpCaller caller, String namespace) {
    return RunOptions.namespace(namespace).requestedBy(signed(caller, ""));
  }

  /** Reasons and names as the record has them: behind the name of the key, which is not chosen. */
  private static String signed(McpCaller caller, String words) {
    return caller.principal().signed(words.isEmpty() ? Optional.of("MCP") : Optional.of(words));
  }

  private static Optional<String> text(ObjectNode given, String name) {
    return Optional.ofNullable(given.get(name)).map(JsonNode::asText);
  }

  static McpError invalid(String words) {
    return McpError.builder(ErrorCodes.INVALID_PARAMS).message(words).build();
  }

  private static McpAnswer response(Object id, CallToolResult result) {
    return McpAnswer.Response.of(JSONRPCResponse.result(id, result));
  }

  /**
   * Which run a call has asked for, kept on the blackboard for as long as the call may last: a
   * notification that cancels it reaches whichever node a balancer takes. Its methods block.
   */
  record CallRecords(Blackboards blackboards, Colony colony, Duration longestWait) {

    private static final String NAMESPACE = "mcp-calls";

    /** The call may be answered a little later than its wait is over. */
    private static final Duration MARGIN = Duration.ofMinutes(1);

    void write(McpCaller caller, String call, AgentId agent, RunId run, String namespace) {
      board(caller)
          .write(
              Write.of(
                      call,
                      ProtocolJson.object()
                          .put("agent", agent.name())
                          .put("run", run.value())
                          .put("namespace", namespace))
                  .ttl(longestWait.plus(MARGIN)))
          .toCompletableFuture()
          .join();
    }

    /** Ends the call's run as cancelled; nothing where there is no such call any more. */
    void cancel(McpCaller caller, JsonNode id, String reason) {
      caller
          .call(id)
          .flatMap(call -> board(caller).read(call).toCompletableFuture().join())
          .ifPresent(entry -> {
            JsonNode place = entry.value();
            colony
                .agent(caller.agent(place.path("agent").asText()))
                .cancel(
                    new RunId(place.path("run").asText()),
                    RunOptions.namespace(place.path("namespace").asText())
                        .requestedBy(caller.principal().writer()),
                    reason)
                .join();
          });
    }

    private Blackboard board(McpCaller caller) {
      return blackboards.open(caller.scope().namespace(NAMESPACE), caller.principal().writer());
    }
  }
}
