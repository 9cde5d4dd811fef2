package dev.colony.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.BlueprintChange;
import dev.colony.agent.client.Colony;
import dev.colony.client.wire.RequestBody;
import dev.colony.core.registry.AgentTypes;
import dev.colony.core.registry.BlueprintFile;
import dev.colony.core.registry.BlueprintFile.Problem;
import dev.colony.server.http.Problems.Code;
import dev.colony.server.http.Problems.Refusal;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Refuses agents that could never work, before they are entered or changed: a blueprint is read as
 * one of a file is, with what it leaves out as its types have it by default, and the agent is built
 * on trial.
 *
 * @param types that the nodes have
 * @param build why this node could not build an agent; empty if it could
 */
public record AgentTrial(
    AgentTypes types, BiFunction<AgentId, AgentBlueprint, Optional<Problem>> build) {

  /** How many places a refusal names. */
  private static final int MOST_PLACES = 5;

  private static final String CHANGE = "change";
  private static final Pattern CAPABILITY = Pattern.compile("capabilities\\[(\\d+)](.*)");

  /**
   * An agent that there is to be.
   *
   * @param sent the blueprint as the client sent it: that of an agent that was entered by a program
   * @param blueprint the same with what it leaves out
   */
  record Candidate(String name, AgentBlueprint sent, AgentBlueprint blueprint) {}

  /**
   * Reads what names an agent and describes it.
   *
   * @param path where that stands in the body, with a dot at its end; empty for the body itself
   * @throws Refusal with the path of what is wrong
   */
  Candidate candidate(JsonNode json, String path) {
    Optional<AgentBlueprint> read =
        json.path("blueprint").isObject()
            ? Optional.of(
                read(path + "blueprint", BlueprintFile.blueprint(json.get("blueprint"), types)))
            : Optional.empty();
    RequestBody.Spawn body = RequestBody.read(json, RequestBody.Spawn.class);
    return new Candidate(body.name(), body.blueprint(), read.orElseThrow());
  }

  private static AgentBlueprint read(String path, BlueprintFile.Reading reading) {
    return switch (reading) {
      case BlueprintFile.Read read -> read.file().blueprint();
      case BlueprintFile.Refused refused -> throw refusal(path, refused.problems());
    };
  }

  /**
   * Enters an agent, unless it is there with the same blueprint.
   *
   * @param path where it stands in the body, as {@link #candidate} takes it
   * @return whether it was there before
   * @throws Refusal if it could not be built
   */
  boolean enter(Colony colony, AgentId id, Candidate agent, String path) {
    if (ApiSources.join(colony.agent(id).state()).isPresent()) {
      try {
        ApiSources.join(colony.spawn(id, agent.sent()));
      } catch (CompletionException other) {
        ApiSources.join(colony.spawn(id, agent.blueprint()));
      }
      return true;
    }
    check(path + "blueprint", id, agent.blueprint());
    ApiSources.join(colony.spawn(id, agent.blueprint()));
    return false;
  }

  /**
   * Reads a request to revise an agent.
   *
   * @param current the blueprint that the agent has
   * @throws Refusal with the path of what is wrong, be it that an agent of that blueprint cannot
   *     change so
   */
  RequestBody.Revise revision(JsonNode json, AgentId id, AgentBlueprint current) {
    Optional<BlueprintChange> change =
        json.path(CHANGE).isObject()
            ? Optional.of(change(json.get(CHANGE), id, current))
            : Optional.empty();
    RequestBody.Revise body = RequestBody.read(json, RequestBody.Revise.class);
    return new RequestBody.Revise(body.reason(), change.orElseThrow());
  }

  private BlueprintChange change(JsonNode json, AgentId id, AgentBlueprint current) {
    BlueprintChange change =
        switch (BlueprintFile.change(json, types)) {
          case BlueprintFile.Changed changed -> changed.change();
          case BlueprintFile.Refused refused -> throw refusal(CHANGE, refused.problems());
        };
    AgentBlueprint next;
    try {
      next = change.of(current);
    } catch (IllegalArgumentException unfit) {
      throw refusal(CHANGE, List.of(Problem.of("", unfit.getMessage())));
    }
    wrong(id, next)
        .ifPresent(one -> {
          throw refusal(CHANGE, List.of(inChange(one, change, next)));
        });
    return change;
  }

  /** The place in a change of what is wrong with the blueprint that comes of it. */
  private static Problem inChange(Problem wrong, BlueprintChange change, AgentBlueprint next) {
    Matcher part = CAPABILITY.matcher(wrong.path());
    if (part.matches()) {
      int had = next.capabilities().size() - change.added().size();
      int index = Integer.parseInt(part.group(1));
      if (index >= had) {
        return Problem.of("added[%d]%s".formatted(index - had, part.group(2)), wrong.message());
      }
    }
    return Problem.of(change.blueprint().isPresent() ? "blueprint" : "", wrong.message());
  }

  /**
   * Builds an agent on trial.
   *
   * @param path where its blueprint comes from; empty where the body does not have it
   * @throws Refusal if it could not be built
   */
  void check(String path, AgentId id, AgentBlueprint blueprint) {
    wrong(id, blueprint)
        .ifPresent(one -> {
          throw refusal(path, List.of(one));
        });
  }

  private Optional<Problem> wrong(AgentId id, AgentBlueprint blueprint) {
    for (int i = 0; i < blueprint.capabilities().size(); i++) {
      try {
        blueprint.capabilities().get(i).scopeFor(id);
      } catch (AgentException foreign) {
        return Optional.of(Problem.of("capabilities[%d].scope".formatted(i), foreign.getMessage()));
      }
    }
    return build.apply(id, blueprint);
  }

  /** One line: the first problem, and where there are more. */
  private static Refusal refusal(String path, List<Problem> problems) {
    Problem first = problems.getFirst();
    List<String> more =
        problems.stream().skip(1).limit(MOST_PLACES).map(one -> at(path, one)).distinct().toList();
    String place = at(path, first);
    return Refusal.of(
        Code.BAD_REQUEST,
        (place.isEmpty() ? "" : place + ": ")
            + first.message()
            + (more.isEmpty() ? "" : "; look at " + String.join(", ", more) + ", too"));
  }

  private static String at(String path, Problem problem) {
    boolean joined = path.isEmpty() || problem.path().isEmpty() || problem.path().startsWith("[");
    return path + (joined ? "" : ".") + problem.path();
  }
}
