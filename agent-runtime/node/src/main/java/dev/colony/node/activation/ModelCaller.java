package dev.colony.node.activation;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.ModelCall;
import dev.colony.agent.SessionId;
import dev.colony.agent.TraceParent;
import dev.colony.agent.author.Agent.Inference;
import dev.colony.agent.author.JoinPoint.JoinPoints;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.client.ReplyTopics;
import dev.colony.core.dispatch.Backoff;
import dev.colony.core.lifecycle.StepSize.JsonSize;
import dev.colony.inference.CallContext;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.ModelChoice;
import dev.colony.inference.Prompt;
import dev.colony.inference.PromptPage;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolCall;
import dev.colony.inference.Usage;
import dev.colony.inference.gateway.ModelCatalog;
import dev.colony.node.AgentListener;
import dev.colony.node.NodePorts;
import dev.colony.node.admission.NodeLeases;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.PageStore.PageRefused;
import dev.colony.vcm.VirtualContextPage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Carries out the model calls of a node's agents: fetches the pages and asks the gateway, where
 * calls wait for their turn. Thread-safe.
 */
public final class ModelCaller {

  /** Bytes of a character. */
  private static final int UTF_8_MOST = 3;

  private final NodePorts services;
  private final Duration deadline;
  private final InFlightModelCalls underWay = new InFlightModelCalls();
  private final Backoff backoff;
  private final int maxPromptBytes;
  private final int maxReplyBytes;

  public ModelCaller(
      NodePorts services,
      Duration deadline,
      Backoff backoff,
      int maxPromptBytes,
      int maxReplyBytes) {
    this.services = services;
    this.deadline = deadline;
    this.backoff = backoff;
    this.maxPromptBytes = maxPromptBytes;
    this.maxReplyBytes = maxReplyBytes;
  }

  Inference of(ActiveAgent agent) {
    return new OfAgent(agent, this);
  }

  /** Those of the agents, for as long as they and what is journaled of them takes. */
  InFlightModelCalls underWay() {
    return underWay;
  }

  /**
   * Has no more calls begin; completes with how many were cut off: 0 when all under way have ended,
   * else those that had not after a time.
   */
  public CompletionStage<Integer> finish(Duration longest) {
    return underWay.close(longest);
  }

  /**
   * Blocks until the model has answered.
   *
   * @param callId its idempotency key
   * @param model that answers it
   * @param context on whose behalf it is made; its deadline is at most that of all model calls
   * @param begins told just before the gateway is asked how many tokens the prompt has, estimated
   * @param parts is told the parts of the reply as they come
   * @throws AgentException if it does not, or if the prompt is larger than may be
   * @throws CancellationException if the work is cancelled or the caller interrupted
   */
  InferenceReply call(
      String callId,
      ModelCall call,
      ModelChoice model,
      CallContext context,
      CancellationToken token,
      LongConsumer begins,
      Consumer<InferenceDelta> parts) {
    token.check();
    bounded(call);
    Stopwatch watch = Stopwatch.start();
    try {
      List<VirtualContextPage> pages =
          call.pages().isEmpty()
              ? List.of()
              : token.await(pages(call.pages(), context.tenant(), token));
      Duration left = context.deadline().minus(watch.elapsed());
      if (!left.isPositive()) {
        throw new AgentException(
            "the pages of a model call were not read within " + context.deadline(), null, true);
      }
      Prompt prompt = new Prompt(call.preamble(), prompt(pages), call.messages());
      begins.accept(prompt.estimatedTokens());
      InferenceRequest request =
          InferenceRequest.of(callId, prompt, call.reply(), context.deadline(left))
              .sampling(call.sampling())
              .model(model);
      // It is the gateway's own future that is cancelled, so that the server hears of it.
      return bounded(token.await(ask(request, parts)));
    } catch (ExecutionException failed) {
      throw described(Backoff.cause(failed));
    }
  }

  private InstantSource clock() {
    return services.get(Blackboards.class).clock();
  }

  private static List<PromptPage> prompt(List<VirtualContextPage> pages) {
    return pages.stream()
        .map(page ->
            new PromptPage(
                page.id().value(), page.text(), page.sizeTokens(), page.label().sensitivity()))
        .toList();
  }

  private CompletableFuture<List<VirtualContextPage>> pages(
      List<PageId> ids, String tenant, CancellationToken token) {
    return backoff
        .repeat(
            "reading pages",
            token::cancelled,
            () ->
                CompletableFuture.supplyAsync(
                    () -> services.get(PageStore.class).of(tenant).pages(ids),
                    Thread::startVirtualThread))
        .toCompletableFuture();
  }

  /** Where the agent has a lease, at the replica that it is at. */
  private CompletableFuture<InferenceReply> ask(
      InferenceRequest request, Consumer<InferenceDelta> parts) {
    InferenceGateway gateway = services.get(InferenceGateway.class);
    Optional<NodeLeases> leases = services.find(NodeLeases.class);
    if (leases.isEmpty() || request.context().agent().isEmpty()) {
      return gateway.complete(request, parts).toCompletableFuture();
    }
    AgentId agent = AgentId.parse(request.context().agent().get());
    NodeLeases all = leases.get();
    AtomicBoolean answers = new AtomicBoolean();
    CallContext home = request.context().replica(all.calls(agent, request));
    CompletableFuture<InferenceReply> reply;
    try {
      reply =
          gateway
              .complete(
                  request.context(home),
                  part -> {
                    if (!(part instanceof InferenceDelta.Asked)
                        && answers.compareAndSet(false, true)) {
                      all.answers(agent);
                    }
                    parts.accept(part);
                  })
              .toCompletableFuture();
    } catch (RuntimeException refused) {
      all.called(agent);
      throw refused;
    }
    reply.whenComplete((answer, failure) -> all.called(agent));
    return reply;
  }

  private ReplyFeed feed(AgentId agent, CurrentStep step, String callId, ModelCall call) {
    Blackboards blackboards = services.get(Blackboards.class);
    return new ReplyFeed(
        new ReplyTopics(blackboards.topics()),
        ReplyFeed.Pace.USUAL,
        blackboards.clock(),
        agent,
        step.run(),
        step.context().trace(),
        callId,
        call.reply().schema().isPresent());
  }

  /** Pages have bounds of their own. */
  private void bounded(ModelCall call) {
    long left = (long) maxPromptBytes - call.preamble().length();
    for (ChatMessage message : call.messages()) {
      left =
          switch (message) {
            case ChatMessage.User user -> left - user.text().length();
            case ChatMessage.Instruction said -> left - said.text().length();
            case ChatMessage.ToolResult result -> left - result.text().length();
            case ChatMessage.Assistant said ->
                argumentsLeft(said.toolCalls(), left - said.text().length());
          };
    }
    for (Tool tool : call.reply().tools()) {
      left = JsonSize.left(tool.parameters(), left - tool.description().length());
    }
    if (call.reply().schema().isPresent()) {
      left = JsonSize.left(call.reply().schema().get(), left);
    }
    if (left < 0) {
      throw AgentException.refused("the prompt is larger than " + maxPromptBytes + " bytes");
    }
  }

  private static long argumentsLeft(List<ToolCall> calls, long limitBytes) {
    long left = limitBytes;
    for (ToolCall call : calls) {
      left = JsonSize.left(call.arguments(), left);
    }
    return left;
  }

  private InferenceReply bounded(InferenceReply reply) {
    if (reply.toolCalls().isEmpty() && reply.text().length() <= maxReplyBytes / UTF_8_MOST) {
      return reply;
    }
    long text = reply.text().getBytes(StandardCharsets.UTF_8).length;
    if (argumentsLeft(reply.toolCalls(), maxReplyBytes - text) < 0) {
      String why = "the model's reply is larger than " + maxReplyBytes + " bytes";
      long all =
          reply.toolCalls().stream()
              .mapToLong(
                  call -> call.arguments().toString().getBytes(StandardCharsets.UTF_8).length)
              .reduce(text, Long::sum);
      String fault =
          "it has %,d bytes, and a reply may have %,d at most: write a shorter one"
              .formatted(all, maxReplyBytes);
      // It was made all the same, and costs what it took.
      throw new AgentException(
          why,
          new InferenceException(
              InferenceException.Kind.BAD_REPLY,
              why,
              null,
              reply.usage(),
              Optional.empty(),
              InferenceException.PromptLength.UNKNOWN,
              Optional.of(fault)),
          false);
    }
    return reply;
  }

  private static RuntimeException described(Throwable failure) {
    return switch (failure) {
      case AgentException refused -> refused;
      case PageRefused refused -> AgentException.refused(refused.getMessage());
      case CancellationException cancelled -> cancelled;
      default ->
          new AgentException(
              failure.getMessage() == null ? failure.toString() : failure.getMessage(),
              failure,
              failure instanceof InferenceException call && call.retryable());
    };
  }

  /**
   * An agent's model calls: journaled by their names while the policy plans, part of the action
   * while one is executed, and neither within a background process.
   */
  private record OfAgent(ActiveAgent agent, ModelCaller models) implements Inference {

    @Override
    public InferenceReply infer(String name, ModelCall call) {
      try {
        return agent
            .hooks()
            .call(
                JoinPoints.INFER,
                agent,
                this,
                () -> models.underWay().make(agent.token(), () -> ask(name, call)),
                name,
                call);
      } catch (RuntimeException failure) {
        throw failure;
      } catch (Exception failure) {
        throw new AgentException("the model call " + name + " failed: " + failure, failure, false);
      }
    }

    @Override
    public void expects(int calls) {
      models.services.find(NodeLeases.class).ifPresent(leases -> leases.expects(agent.id(), calls));
    }

    private InferenceReply ask(String name, ModelCall call) {
      agent.token().check();
      Optional<CurrentStep> step = agent.currentStep();
      if (step.isEmpty()) {
        String callId = agent.id().persistenceId() + "/background/" + UUID.randomUUID();
        return models.call(
            callId,
            call,
            model(call),
            context(models.deadline),
            agent.token(),
            promptTokens -> {},
            part -> {});
      }
      return step.get()
          .acting()
          .map(action -> within(step.get(), action, name, call))
          .orElseGet(() -> planning(step.get(), name, call));
    }

    private InferenceReply within(
        CurrentStep step, CurrentStep.OpenAction action, String name, ModelCall call) {
      InferenceReply reply =
          asked(step, step.name() + action.path() + name, call, promptTokens -> {}, action::use);
      action.use(reply);
      return reply;
    }

    private InferenceReply planning(CurrentStep step, String name, ModelCall call) {
      Optional<InferenceReply> before = step.journal().answered(name);
      if (before.isPresent()) {
        return before.get();
      }
      InferenceReply reply =
          asked(
              step,
              step.name() + "/" + name,
              call,
              promptTokens -> {
                if (step.meter().bounded()) {
                  step.journal().asking(name, promptTokens);
                }
              },
              usage -> {
                if (step.meter().bounded() || !usage.equals(Usage.NONE)) {
                  step.journal().failed(name, usage);
                }
              });
      step.journal().answered(name, reply, !call.pages().isEmpty());
      return reply;
    }

    private InferenceReply asked(
        CurrentStep step,
        String callId,
        ModelCall call,
        LongConsumer begins,
        Consumer<Usage> failed) {
      step.meter().check();
      step.journal().flush();
      if (step.again()) {
        models.services.find(AgentListener.class).ifPresent(AgentListener::modelAskedAgain);
      }
      CurrentStep.TraceBounds bounds = new CurrentStep.TraceBounds(step.context());
      Optional<StepSpans.OpenSpan> span = step.calls(callId, model(call));
      CallContext context =
          context(bounds.within(models.deadline, models.clock()))
              .run(step.run().value())
              .runBudget(step.meter().budget())
              .shared(bounds.shared())
              .traceparent(
                  span.map(StepSpans.OpenSpan::self)
                      .or(() -> step.context().traceparent())
                      .map(TraceParent::toString))
              .session(step.context().session().map(SessionId::value));
      ReplyFeed feed = models.feed(agent.id(), step, callId, call);
      try {
        InferenceReply reply =
            models.call(callId, call, model(call), context, step.token(), begins, feed);
        step.meter().add(reply.entry(), reply.usage());
        span.ifPresent(ends -> ends.end(reply));
        return reply;
      } catch (AgentException failure) {
        span.ifPresent(ends -> ends.failed(failure));
        // What was spent counts, whatever came of it.
        if (failure.getCause() instanceof InferenceException spent) {
          step.meter().add(ModelCatalog.UNNAMED, spent.usage());
          failed.accept(spent.usage());
        }
        throw failure;
      } finally {
        feed.end();
      }
    }

    private ModelChoice model(ModelCall call) {
      return call.model().orElse(agent.blueprint().model());
    }

    private CallContext context(Duration longest) {
      return CallContext.of(agent.id().tenant(), longest).agent(agent.id().persistenceId());
    }
  }
}
