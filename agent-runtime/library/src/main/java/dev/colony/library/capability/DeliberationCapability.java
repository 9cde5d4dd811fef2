package dev.colony.library.capability;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.Blueprint;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Param.Range;
import dev.colony.agent.author.Registered;
import dev.colony.core.registry.AgentTypes;
import dev.colony.library.game.Deliberation;
import dev.colony.library.game.Deliberation.Setup;
import dev.colony.library.game.GameProtocol;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;

/**
 * Lets a planner have other agents of the colony deliberate: it invites them, a moderator, which is
 * a child of the agent, asks each for its moves by the rules of a {@link GameProtocol} and a judge
 * for what these do not decide. The planner's run is suspended meanwhile.
 *
 * <p>A player is any agent that answers runs: what it is asked is a run in the namespace {@value
 * ModeratorPolicy#NAMESPACE}, whose result is its move. One that is silent, or makes no legal move,
 * forfeits its turn; the outcome tells so.
 */
@Registered(
    value = "deliberation",
    summary = "Deliberations of other agents by rules: debates, negotiations.")
public final class DeliberationCapability extends AgentCapability {

  private static final int ROUNDS = 3;
  private static final int SECONDS = 300;

  /** Characters of a subject as JSON text: it stands in each player's prompt. */
  private static final int MOST_SUBJECT = 20_000;

  private final Roles roles;

  /**
   * Who can be invited together.
   *
   * @param roles names of agents of the colony by their role; empty where agents are invited by
   *     their names only
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  public record Roles(Optional<Map<String, List<String>>> roles) {

    public static final Roles NONE = new Roles(Optional.empty());

    public static Roles of(Map<String, List<String>> roles) {
      return new Roles(Optional.of(roles));
    }
  }

  public DeliberationCapability(CapabilityContext context, Roles roles) {
    super(context);
    this.roles = roles;
  }

  @Override
  public Optional<String> summary() {
    return Optional.of(
        "Deliberations of other agents by rules. Protocols: %s.%s"
            .formatted(
                String.join(", ", AgentTypes.installed().names(GameProtocol.class)),
                roles
                    .roles()
                    .map(named -> " Roles: " + String.join(", ", named.keySet()) + ".")
                    .orElse("")));
  }

  @ActionExecutor(
      key = "deliberate",
      summary =
          "Has other agents deliberate about a subject by the rules of a protocol and gives the"
              + " outcome, or a judge's verdict. While it goes on the action is blocked; do it"
              + " again in the same words to have the outcome.",
      tags = "communication",
      writes = "deliberation",
      timeout = "2m")
  ActionResult deliberate(
      @Param("one of the protocols") String protocol,
      @Param("what it is about and what is to be decided: text, or any JSON") JsonNode subject,
      @Param("names of agents of the colony, or roles; they move in this order")
          List<String> invite,
      @Param("how many rounds at most; 3 if absent") @Range(min = 1, max = Deliberation.MOST_ROUNDS)
          Optional<Integer> rounds,
      @Param("how long each move may take, in seconds; 300 if absent") @Range(min = 5, max = 86_400)
          Optional<Integer> seconds,
      @Param("the agent that judges where the rules do not decide; a model if absent")
          Optional<String> judge,
      ActionContext context)
      throws InterruptedException, ExecutionException {
    if (subject.toString().length() > MOST_SUBJECT) {
      throw AgentException.refused(
          "a subject has at most %d characters: write it to the blackboard and name its key"
              .formatted(MOST_SUBJECT));
    }
    Setup setup;
    try {
      setup =
          new Setup(
              protocol,
              subject,
              players(invite),
              rounds.orElse(ROUNDS),
              seconds.orElse(SECONDS),
              judge);
      // What the rules refuse, the planner is told at once.
      Deliberation.begin(ModeratorPolicy.protocol(protocol), setup);
    } catch (IllegalArgumentException unfit) {
      throw new AgentException(unfit.getMessage(), unfit, false);
    }
    for (String name : setup.players()) {
      MessageCapability.reachable(agent(), name);
    }
    judge.ifPresent(name -> MessageCapability.reachable(agent(), name));
    return DelegateCapability.handOver(
        agent(),
        "moderator",
        AgentBlueprint.of(Blueprint.of(ModeratorPolicy.TYPE)).model(agent().blueprint().model()),
        JsonValues.toJson(setup),
        context);
  }

  /** Each once, in the order in which they are named. */
  private List<String> players(List<String> invite) {
    Map<String, List<String>> named = roles.roles().orElse(Map.of());
    Set<String> players = new LinkedHashSet<>();
    for (String one : invite) {
      players.addAll(named.getOrDefault(one, List.of(one)));
    }
    return new ArrayList<>(players);
  }
}
