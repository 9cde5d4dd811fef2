package dev.colony.core.dispatch;

import static dev.colony.core.dispatch.Dispatching.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.ActionResult.Status;
import dev.colony.agent.action.Ref;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.blackboard.Write;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.NotEmpty;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class RefTest {

  private final TestAgent agent = TestAgent.named("a1");
  private final Dispatching run =
      Dispatching.of(agent.with(new Workshop(agent.capabilityContext("my.shop"))));

  @Property(tries = 1_000)
  void whatIsWrittenIsReadBack(
      @ForAll @AlphaChars @NotEmpty String name,
      @ForAll @Size(max = 4) List<@AlphaChars @NotEmpty String> path,
      @ForAll @StringLength(min = 1, max = 30) String rest) {
    Ref variable = new Ref(Ref.Kind.VARIABLE, "v" + name, path);
    assertThat(Ref.parse(variable.toString())).contains(variable);
    for (Ref.Kind kind :
        List.of(Ref.Kind.RESULTS, Ref.Kind.GLOBAL, Ref.Kind.CHILDREN, Ref.Kind.SHARED)) {
      Ref elsewhere = new Ref(kind, rest, List.of());
      assertThat(Ref.parse(elsewhere.toString())).contains(elsewhere);
    }
  }

  @Property(tries = 1_000)
  void everyTextIsAReferenceOrStandsForItselfAndEachCanBeWritten(@ForAll String text) {
    assertThat(Ref.parse(text).map(Ref::toString).orElse(text)).isEqualTo(text);
    if (Ref.parse("$" + text).isEmpty()) {
      String escaped = text.startsWith("$") ? "$" + text : text;
      assertThat(Ref.parse(escaped).map(Ref::toString).orElseGet(() -> Ref.literal(escaped)))
          .isEqualTo(text);
    }
  }

  @Test
  void valuesStandInThePlaceOfReferences() throws Exception {
    run.act("a.1", "my.shop.echo", "{'value':{'pages':[{'id':'p7'}]}}");
    run.state().custom().put("depth", 3);
    agent.blackboard().write(Write.value("goal:1.main", "win")).toCompletableFuture().get();
    assertThat(
            echo(
                "['$topic','$depth','$results.a.1.pages.0.id','$global.my.shop.tools.1',"
                    + "'$shared.goal:1.main',{'cost':'$5','home':'$$HOME','text':'a $topic'}]"))
        .isEqualTo(
            "[\"merging\",3,\"p7\",\"file\",\"win\","
                + "{\"cost\":\"$5\",\"home\":\"$HOME\",\"text\":\"a $topic\"}]");
  }

  @Test
  void whatAReferenceStandsForIsNotLookedThroughForFurtherOnes() {
    run.act("a", "my.shop.echo", "{'value':'$$shared.secret'}");
    assertThat(echo("'$results.a'")).isEqualTo("\"$shared.secret\"");
  }

  @Test
  void theLongestActionIdIsMeant() {
    run.act("a", "my.shop.echo", "{'value':['x','y']}");
    assertThat(echo("'$results.a.1'")).isEqualTo("\"y\"");
    run.act("a.1", "my.shop.echo", "{'value':'z'}");
    run.act("a.10", "my.shop.echo", "{'value':'w'}");
    assertThat(echo("'$results.a.1'")).isEqualTo("\"z\"");
    assertThat(echo("'$results.a.0'")).isEqualTo("\"x\"");
  }

  private String echo(String value) {
    ActionResult result = run.act("echo", "my.shop.echo", "{'value':" + value + "}");
    assertThat(result.error()).isEmpty();
    return result.output().toString();
  }

  @Test
  void whatCannotBeResolvedIsNamed() {
    run.act("bad", "my.shop.never_good", "{}");
    run.act("good", "my.shop.echo", "{'value':{'x':[1]}}");
    assertThat(refusal("$nothing")).contains("$nothing", "no variable nothing", "two");
    assertThat(refusal("$topic.x")).contains("$topic.x", "there is no x");
    assertThat(refusal("$results.none")).contains("$results.none", "no result");
    assertThat(refusal("$results.goo")).contains("no result");
    assertThat(refusal("$results.bad")).contains("bad did not succeed");
    assertThat(refusal("$results.good.x.1")).contains("there is no 1");
    assertThat(refusal("$results.good.x.y")).contains("there is no y");
    assertThat(refusal("$global.none")).contains("no such capability");
    assertThat(refusal("$children.none.x")).contains("no agent of that name");
    assertThat(refusal("$shared.none")).contains("no such entry");
    assertThat(refusal("$shared.a*")).contains("wildcard");
  }

  private String refusal(String text) {
    ActionResult result = run.act("echo", "my.shop.echo", "{'value':'" + text + "'}");
    assertThat(result.status()).isEqualTo(Status.REFUSED);
    return result.error();
  }

  @Test
  void theParametersAreCheckedWithTheirValues() {
    run.act("a", "my.shop.echo", "{'value':7}");
    ActionResult result = run.act("b", "my.shop.join", "{'left':'$results.a'}");
    assertThat(result.status()).isEqualTo(Status.REFUSED);
    assertThat(result.error()).contains("left").contains("string");
  }

  @Test
  void theParametersAsTheyWereAreNotChanged() {
    var params = json("{'value':['$topic']}");
    run.dispatcher.dispatch(Action.of("a", "my.shop.echo", params));
    assertThat(params).isEqualTo(json("{'value':['$topic']}"));
  }
}
