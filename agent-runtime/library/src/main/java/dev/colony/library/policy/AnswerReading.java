package dev.colony.library.policy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.colony.agent.action.ActionDescription;
import dev.colony.library.prompt.JsonPreview;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Reads a model's answers, which the gateway has held against their schema. Whatever the text, it
 * makes an {@link PlannerReply} and throws nothing; what cannot be read is said so that the next
 * prompt can show it.
 *
 * @param offered the actions that may be chosen
 */
record AnswerReading(List<ActionDescription> offered) {

  private static final int DEEPEST = 64;
  private static final int ERROR_CHARS = 600;

  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  /** An answer to {@link AnswerForm#decision}. */
  PlannerReply decision(String text) {
    return read(text, true);
  }

  /** An answer to {@link AnswerForm#choice}. */
  PlannerReply choice(String text) {
    return read(text, false);
  }

  /** An answer to {@link AnswerForm#parameters}. */
  PlannerReply parameters(ActionDescription chosen, String text) {
    return switch (parse(text)) {
      case Parsed.Wrong wrong -> new PlannerReply.Unusable(wrong.why());
      case Parsed.Tree tree -> take(chosen, tree.json());
    };
  }

  private PlannerReply read(String text, boolean withParameters) {
    return switch (parse(text)) {
      case Parsed.Wrong wrong -> new PlannerReply.Unusable(wrong.why());
      case Parsed.Tree tree -> decide(tree.json().path("decision"), withParameters);
    };
  }

  private PlannerReply decide(JsonNode decision, boolean withParameters) {
    String key = decision.path("action").asText("");
    return switch (key) {
      case "" -> new PlannerReply.Unusable("it has no text at decision.action");
      case AnswerForm.COMPLETE ->
          decision.has("result")
              ? new PlannerReply.Complete(decision.get("result"))
              : new PlannerReply.Unusable("complete needs a result at decision.result");
      case AnswerForm.IDLE -> new PlannerReply.Idle();
      case AnswerForm.FAIL ->
          new PlannerReply.GiveUp(JsonPreview.cut(decision.path("reason").asText(""), ERROR_CHARS));
      default -> action(key, decision.path("parameters"), withParameters);
    };
  }

  private PlannerReply action(String key, JsonNode params, boolean withParameters) {
    Optional<ActionDescription> chosen =
        offered.stream().filter(one -> one.key().equals(key)).findFirst();
    if (chosen.isEmpty()) {
      return new PlannerReply.Unusable(
          JsonPreview.cut("there is no action \"" + key + "\" but these: " + keys(), ERROR_CHARS));
    }
    if (withParameters) {
      return take(chosen.get(), params.isMissingNode() ? JSON.createObjectNode() : params);
    }
    return new PlannerReply.Take(key, JSON.createObjectNode());
  }

  private static PlannerReply take(ActionDescription chosen, JsonNode params) {
    if (!params.isObject()) {
      return new PlannerReply.Unusable("the parameters of " + chosen.key() + " must be an object");
    }
    return new PlannerReply.Take(chosen.key(), params);
  }

  private String keys() {
    return offered.stream().map(ActionDescription::key).collect(Collectors.joining(", "));
  }

  private sealed interface Parsed {
    record Tree(JsonNode json) implements Parsed {}

    record Wrong(String why) implements Parsed {}
  }

  private static Parsed parse(String text) {
    try {
      JsonNode json = JSON.readTree(text);
      return json.isObject() ? new Parsed.Tree(json) : new Parsed.Wrong("it is not a JSON object");
    } catch (JsonProcessingException broken) {
      return new Parsed.Wrong(
          JsonPreview.cut("it is not JSON: " + broken.getOriginalMessage(), ERROR_CHARS));
    }
  }
}
