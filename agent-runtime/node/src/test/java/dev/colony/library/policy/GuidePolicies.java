package dev.colony.library.policy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionDescription.ActionGroup;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.ActionPolicyIO;
import dev.colony.agent.author.ActionProvider;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.library.policy.PromptLayers.PromptLayer;
import dev.colony.library.policy.PromptSection.Part;
import dev.colony.library.policy.PromptSection.SectionRoom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The types that docs/guides/policies.md shows. */
public final class GuidePolicies implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(Notes.class);
    types.add(ReviewPolicy.class);
    types.add(DraftThenSend.class);
    types.add(WithClock.class);
    types.add(Nesting.class);
    types.add(Publishing.class);
    types.add(HouseLayer.class);
  }

  // guide: notes
  @Registered(value = "guide.notes", summary = "Keeps notes.")
  public static final class Notes extends AgentCapability {

    public Notes(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(summary = "Stores a note.", writes = "last_note")
    String write(@Param("what it says") String text) {
      return "stored: " + text;
    }

    @ActionExecutor(summary = "Finds notes that were stored.")
    List<String> search(String query) {
      return List.of("a note about " + query);
    }

    @EventHandler(pattern = "chat:*", contextKey = "user_chat_message")
    Map<String, String> onMessage(EventBatch.Event event) {
      return Map.of("message", event.value().orElseThrow().asText());
    }
  }

  // guide end

  /** Waits for a person. */
  @Registered("guide.publishing")
  public static final class Publishing extends BaseActionPolicy {

    public Publishing(PolicyContext context) {
      super(context);
    }

    // guide: waiting
    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      if (state.approval("publish").isEmpty()) {
        return Decision.blocked(
            "the editor has to agree", new ResumptionCondition.Approved("publish"));
      }
      String word = state.approval("publish").get().granted() ? "published" : "dropped";
      return Decision.Complete.with(JsonNodeFactory.instance.textNode(word));
    }

    // guide end
  }

  // guide: review
  @Registered("guide.review")
  public static final class ReviewPolicy extends BaseActionPolicy {

    public ReviewPolicy(PolicyContext context) {
      super(context);
    }

    @Override
    public ActionPolicyIO io() {
      return ActionPolicyIO.builder()
          .input("query", String.class)
          .optionalInput("max_results", int.class)
          .output("found", List.class)
          .build();
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      if (state.history().isEmpty()) {
        return Decision.act(
            "search", "guide.notes.search", "query", state.request().input().get("query"));
      }
      return state
          .result("search")
          .filter(result -> result.success())
          .<Decision>map(result ->
              Decision.Complete.with(
                  JsonNodeFactory.instance.objectNode().set("found", result.output())))
          .orElseGet(() -> Decision.Fail.because("nothing was found"));
    }
  }

  // guide end

  // guide: workflow
  @Registered("guide.draft-then-send")
  public static final class DraftThenSend extends MinimalActionPolicy {

    public DraftThenSend(PolicyContext context, PlannerArgs args) {
      super(context, args);
    }

    @Override
    protected List<ActionGroup> plannedActions(ActionPolicyExecutionState state) {
      String allowed = state.history().isEmpty() ? "guide.notes.search" : "guide.notes.write";
      List<ActionGroup> groups = new ArrayList<>();
      for (ActionGroup group : super.plannedActions(state)) {
        List<ActionDescription> actions =
            group.actions().stream().filter(action -> action.key().equals(allowed)).toList();
        groups.add(new ActionGroup(group.name(), group.summary(), actions));
      }
      return groups;
    }
  }

  // guide end

  /** Tells the time of a day that never ends. */
  private static final class Clock implements ActionProvider {

    @Override
    public String name() {
      return "clock";
    }

    @Override
    public String summary() {
      return "Tells the time.";
    }

    @Override
    public List<ActionDescription> actions() {
      return List.of(
          FakeDispatcher.action("clock.now", "Tells the time.", "{\"type\": \"object\"}"));
    }

    @Override
    public Object execute(String key, ObjectNode params, ActionContext context) {
      return "noon";
    }
  }

  // guide: providers
  @Registered("guide.with-clock")
  public static final class WithClock extends MinimalActionPolicy {

    public WithClock(PolicyContext context, PlannerArgs args) {
      super(context, args);
      dispatcher().offer(new Clock());
      dispatcher().limitTo(Set.of("clock.now", "guide.notes.write"));
    }
  }

  // guide end

  // guide: layer
  @Registered("guide.house")
  public static final class HouseLayer implements PromptLayer {

    @Override
    public Part part() {
      return Part.CONSTANT;
    }

    @Override
    public List<PromptSection> render(PlanningContext context, SectionRoom room) {
      return room.text("## House rules", "Greet before you ask.");
    }
  }

  // guide end

  /** A policy whose author wants another policy in it. */
  @Registered("guide.nesting")
  public static final class Nesting extends EventDrivenActionPolicy {

    public record Inner(dev.colony.agent.Blueprint policy) {}

    public Nesting(PolicyContext context, Inner inner) {
      super(context);
      throw new IllegalStateException("never made, since it is given " + inner);
    }
  }
}
