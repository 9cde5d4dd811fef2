package dev.colony.library.capability;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionExecutor.IdempotencyKey;
import dev.colony.agent.author.Agent;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Param.Range;
import dev.colony.agent.author.Registered;
import dev.colony.agent.client.AgentHandle.AgentStatus;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import dev.colony.library.capability.MessageCapability.Message.Kind;
import dev.colony.library.game.NegotiationGame;
import dev.colony.library.game.NegotiationGame.Standing;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * Lets an agent write to other agents of its colony, answer them and negotiate with them. A message
 * wakes the agent that it is for, which is shown it as an event under {@value #EVENT}; from then on
 * it counts as read. An agent that asks waits durably: its run is suspended until the reply comes.
 *
 * <p>A message is stored once for each id, also where the action that sends it is executed again
 * after a crash. What is asked is the same question when it is asked again in the same words within
 * a run, so that a planner learns the reply by asking once more. A message has one reply.
 */
@Registered(
    value = "messages",
    namespace = Mailbox.NAMESPACE,
    onlyThere = true,
    summary = "Messages to and from other agents of the colony, questions and negotiations.")
public final class MessageCapability extends AgentCapability {

  /** The context key under which an agent is shown a message. */
  public static final String EVENT = "message";

  private static final int MOST_RECEIVED = 100;

  /** Of a message as JSON text: more of it would take its reader's prompt. */
  private static final int MOST_CHARS = 20_000;

  private final int mailbox;
  private final Mailbox own;

  /** What was sent, and to which agent. */
  record Sent(String id, String to) {}

  /**
   * Where a negotiation stands.
   *
   * @param state OPEN where it is this agent's turn
   * @param answering the proposal that is to be answered next; empty unless open
   * @param terms those agreed on, those rejected, or those proposed last
   */
  record Negotiation(Standing state, Optional<String> answering, JsonNode terms, int round) {}

  public MessageCapability(CapabilityContext context) {
    super(context);
    AgentId owner = context.owner().id();
    if (!context.scope().equals(Mailbox.scopeOf(owner))) {
      throw AgentException.refused(
          "the capability of messages stands in %s, but other agents write to %s: bind it in the namespace %s"
              .formatted(context.scope().path(), Mailbox.scopeOf(owner).path(), Mailbox.NAMESPACE));
    }
    this.mailbox = Settings.read(MessageSettings.class, ConfigFactory.load()).mailbox();
    this.own = new Mailbox(owner, context.blackboard(), mailbox);
  }

  /** The capability where other agents find the mailbox: in the agent's own scope. */
  public static CapabilityBlueprint bind() {
    return CapabilityBlueprint.of(MessageCapability.class).namespace(Mailbox.NAMESPACE);
  }

  /** Shows the agent what has come, and notes that it has been shown. */
  @EventHandler(pattern = Mailbox.PREFIX + "*", contextKey = EVENT)
  Optional<Message> onMessage(EventBatch.Event event) {
    return own.take(event.key().substring(Mailbox.PREFIX.length()));
  }

  @ActionExecutor(
      key = "message_send",
      summary = "Sends a message to another agent of the colony and does not wait for a reply.",
      tags = "communication")
  Sent send(
      @Param("the other agent's name") String to,
      @Param("the message: text, or any JSON") JsonNode body,
      IdempotencyKey key) {
    String id = id(key.value());
    deliver(agent(to), id, new Message.Stored(Kind.TELL, bounded(body), Optional.empty(), 0));
    return new Sent(id, to);
  }

  @ActionExecutor(
      key = "message_ask",
      summary =
          "Asks another agent of the colony and waits for its reply. While there is none the "
              + "action is blocked; ask again in the same words to have the reply.",
      tags = "communication",
      writes = "reply")
  ActionResult ask(
      @Param("the other agent's name") String to,
      @Param("the question: text, or any JSON") JsonNode body,
      @Param("how long to wait for the reply, in seconds; for as long as the run lasts if absent")
          @Range(min = 1, max = 31_536_000)
          Optional<Integer> seconds,
      ActionContext context) {
    Message.Stored question = new Message.Stored(Kind.ASK, bounded(body), Optional.empty(), 0);
    String id = id(context.request().runId() + "/ask/" + to + "/" + body);
    return reply(context, agent(to), id, question, seconds)
        .map(come -> ActionResult.succeeded(context.actionId(), JsonValues.toJson(come)))
        .orElseGet(() -> unanswered(context, id, to));
  }

  @ActionExecutor(
      key = "message_reply",
      summary = "Replies to a message that this agent has received, once for each message.",
      tags = "communication")
  Sent reply(
      @Param("the id of the message") String answering,
      @Param("the reply: text, or any JSON") JsonNode body) {
    Message message = received(answering);
    return answer(message, new Message.Stored(Kind.TELL, bounded(body), Optional.of(answering), 0));
  }

  @ActionExecutor(
      key = "message_receive",
      summary =
          "Gives the messages that this agent has not read yet, the oldest first. An agent that "
              + "takes events is shown messages without it.",
      tags = "communication",
      writes = "messages")
  ActionResult receive(
      @Param("only those of this agent; of all if absent") Optional<String> from,
      @Param("how many at most; 10 if absent") @Range(min = 1, max = MOST_RECEIVED)
          Optional<Integer> limit,
      @Param("whether to wait for one where there is none; by default not") Optional<Boolean> wait,
      ActionContext context) {
    Optional<Position> waiting = wait.filter(yes -> yes).map(yes -> own.waits());
    List<Message> given =
        own.unread().stream()
            .filter(message -> from.map(message.from()::equals).orElse(true))
            .limit(limit.orElse(10))
            .flatMap(message -> own.take(message.id()).stream())
            .toList();
    if (given.isEmpty() && waiting.isPresent()) {
      return ActionResult.blocked(
          context.actionId(),
          "no message has come" + from.map(name -> " from " + name).orElse(""),
          written("*", waiting.get()));
    }
    return ActionResult.succeeded(context.actionId(), JsonValues.toJson(given));
  }

  @ActionExecutor(
      key = "negotiate",
      summary =
          "Negotiates with another agent of the colony. PROPOSE waits for its move: while there is "
              + "none the action is blocked, do it again in the same words to learn the move. "
              + "ACCEPT and REJECT end the negotiation.",
      tags = "communication",
      writes = "negotiation")
  ActionResult negotiate(
      @Param("what to do: propose terms, or accept or reject those of the other")
          NegotiationGame.Kind move,
      @Param("the other agent's name, to begin a negotiation; absent to answer a proposal")
          Optional<String> with,
      @Param("the id of the proposal that is answered; absent to begin") Optional<String> answering,
      @Param("the terms that are proposed, any JSON") Optional<JsonNode> terms,
      ActionContext context) {
    if (with.isPresent() == answering.isPresent()) {
      throw AgentException.refused("name the agent to begin with, or the proposal to answer");
    }
    Optional<Message> theirs = answering.map(this::received);
    theirs
        .filter(message -> message.kind() != Kind.PROPOSE)
        .ifPresent(message -> {
          throw AgentException.refused("message " + message.id() + " is no proposal");
        });
    NegotiationGame.illegal(theirs.map(Message::round).orElse(0), move, terms.isPresent())
        .ifPresent(why -> {
          throw AgentException.refused(why);
        });
    return switch (move) {
      case PROPOSE -> propose(with, theirs, terms, context);
      case ACCEPT -> end(theirs, Kind.ACCEPT, Standing.AGREED, context);
      case REJECT -> end(theirs, Kind.REJECT, Standing.REJECTED, context);
    };
  }

  private ActionResult propose(
      Optional<String> with,
      Optional<Message> theirs,
      Optional<JsonNode> terms,
      ActionContext context) {
    JsonNode proposed = bounded(terms.orElseThrow());
    int round = theirs.map(Message::round).orElse(0) + 1;
    String other = with.orElseGet(() -> theirs.orElseThrow().from());
    String id =
        theirs
            .map(message -> replyTo(message.id()))
            .orElseGet(() -> id(context.request().runId() + "/propose/" + other + "/" + proposed));
    Message.Stored proposal =
        new Message.Stored(Kind.PROPOSE, proposed, theirs.map(Message::id), round);
    return reply(context, agent(other), id, proposal, Optional.empty())
        .map(come -> ActionResult.succeeded(context.actionId(), JsonValues.toJson(standing(come))))
        .orElseGet(() -> unanswered(context, id, other));
  }

  private static Negotiation standing(Message move) {
    return switch (move.kind()) {
      case ACCEPT -> new Negotiation(Standing.AGREED, Optional.empty(), move.body(), move.round());
      case PROPOSE ->
          new Negotiation(Standing.OPEN, Optional.of(move.id()), move.body(), move.round());
      case REJECT, TELL, ASK ->
          new Negotiation(Standing.REJECTED, Optional.empty(), move.body(), move.round());
    };
  }

  private ActionResult end(
      Optional<Message> theirs, Kind kind, Standing state, ActionContext context) {
    Message proposal = theirs.orElseThrow();
    answer(
        proposal,
        new Message.Stored(kind, proposal.body(), Optional.of(proposal.id()), proposal.round()));
    return ActionResult.succeeded(
        context.actionId(),
        JsonValues.toJson(
            new Negotiation(state, Optional.empty(), proposal.body(), proposal.round())));
  }

  /**
   * Sends what wants a reply, once, and gives the reply if it has come.
   *
   * @throws AgentException if the time for it is over
   */
  private Optional<Message> reply(
      ActionContext context,
      AgentId to,
      String id,
      Message.Stored message,
      Optional<Integer> seconds) {
    Instant now = blackboard().clock().instant();
    Optional<Instant> until = seconds.map(Duration::ofSeconds).map(now::plus);
    Mailbox.Asked asked = own.asked(id, new Mailbox.Sent(to.name(), until));
    Optional<Message> come = own.take(replyTo(id));
    if (come.isEmpty()) {
      deliver(to, id, message);
      asked
          .until()
          .filter(end -> !now.isBefore(end))
          .ifPresent(end -> {
            throw AgentException.refused(
                "%s has not replied to %s until %s".formatted(to.name(), id, end));
          });
    }
    return come;
  }

  private ActionResult unanswered(ActionContext context, String id, String to) {
    Mailbox.Asked asked = own.asked(id, new Mailbox.Sent(to, Optional.empty()));
    ResumptionCondition reply = written(replyTo(id), asked.after());
    return ActionResult.blocked(
        context.actionId(),
        "%s has not replied to %s yet".formatted(to, id),
        asked
            .until()
            .map(end -> ResumptionCondition.any(reply, new ResumptionCondition.At(end)))
            .orElse(reply));
  }

  private ResumptionCondition written(String id, Position after) {
    return new ResumptionCondition.Event(
        scope(), new KeyGlob(Mailbox.PREFIX + id), Optional.of(after));
  }

  private Sent answer(Message message, Message.Stored reply) {
    String id = replyTo(message.id());
    deliver(agent(message.from()), id, reply);
    return new Sent(id, message.from());
  }

  private Message received(String id) {
    return own.take(id)
        .orElseThrow(() -> AgentException.refused("this agent has received no message " + id));
  }

  private void deliver(AgentId to, String id, Message.Stored message) {
    new Mailbox(to, agent().blackboard(Mailbox.scopeOf(to)), mailbox).deliver(id, message);
  }

  private AgentId agent(String name) {
    return reachable(agent(), name);
  }

  /**
   * Another agent of an agent's colony, that has not ended.
   *
   * @throws AgentException if there is none of the name
   */
  static AgentId reachable(Agent agent, String name) {
    AgentId self = agent.id();
    AgentId other;
    try {
      other = new AgentId(self.tenant(), self.colony(), name);
    } catch (IllegalArgumentException none) {
      throw new AgentException("there is no agent " + name + " in this colony", none, false);
    }
    if (other.equals(self)) {
      throw AgentException.refused("an agent writes no messages to itself");
    }
    Optional<AgentStatus> status = agent.colony().agent(other).state().join();
    if (status.isEmpty()) {
      throw AgentException.refused("there is no agent " + name + " in this colony");
    }
    if (status.get().state().terminal()) {
      throw AgentException.refused("agent " + name + " has stopped and reads nothing");
    }
    return other;
  }

  private JsonNode bounded(JsonNode body) {
    int chars = body.toString().length();
    if (chars > MOST_CHARS) {
      throw AgentException.refused(
          "a message has at most %d characters, but this has %d: write it to the blackboard and send its key"
              .formatted(MOST_CHARS, chars));
    }
    return body;
  }

  static String replyTo(String id) {
    return id("reply/" + id);
  }

  private static String id(String of) {
    return UUID.nameUUIDFromBytes(of.getBytes(StandardCharsets.UTF_8)).toString();
  }

  /**
   * What an operator sets of messages; reference.conf says what each means.
   *
   * @param mailbox unread messages that an agent has at most
   */
  @Section("colony.agent.message")
  record MessageSettings(
      @dev.colony.blackboard.settings.Range(min = "1", max = "100000") int mailbox) {}

  /**
   * A message as its reader sees it.
   *
   * @param id unique among the messages of a colony
   * @param from the sender's name within the colony, by the blackboard's record of who wrote it; of
   *     a writer that is no agent of the colony, the name that it writes under
   * @param body text or any other JSON
   * @param answers the message that it replies to; empty for one that replies to none
   * @param round of a negotiation, 1 for its first proposal; 0 outside any
   * @param at when it was stored
   */
  public record Message(
      String id,
      String from,
      Kind kind,
      JsonNode body,
      Optional<String> answers,
      int round,
      Instant at) {

    public enum Kind {
      TELL,
      /** Wants a reply. */
      ASK,
      /** The terms of a negotiation, which are accepted, rejected or answered with other terms. */
      PROPOSE,
      ACCEPT,
      REJECT
    }

    /**
     * A message as its sender writes it; the blackboard knows the rest.
     *
     * @param read whether its owner has been given it
     */
    record Stored(Kind kind, JsonNode body, Optional<String> answers, int round, boolean read) {

      Stored {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(body, "body");
      }

      Stored(Kind kind, JsonNode body, Optional<String> answers, int round) {
        this(kind, body, answers, round, false);
      }

      Stored taken() {
        return new Stored(kind, body, answers, round, true);
      }
    }
  }
}
