package dev.colony.vcm.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class ClearancesPropertyTest {

  @Property
  void noPageOfAHigherClassReachesATenantOrAReplica(
      @ForAll Sensitivity page,
      @ForAll Sensitivity acme,
      @ForAll Sensitivity others,
      @ForAll boolean known) {
    Clearances clearances =
        new Clearances(
            known ? Map.of("acme", acme) : Map.of(),
            others,
            known ? Map.of("gpu-1", acme) : Map.of(),
            others);
    boolean cleared = page.ordinal() <= (known ? acme : others).ordinal();

    assertThat(clearances.refusal("acme", Optional.empty(), page).isEmpty()).isEqualTo(cleared);
    assertThat(clearances.refusal("acme", Optional.of("acme"), page).isEmpty()).isEqualTo(cleared);
    assertThat(clearances.mayHold("gpu-1", "http://gpu-1:8000", page)).isEqualTo(cleared);
  }

  @Property
  void anotherTenantsPageIsRefusedWhateverItsClass(
      @ForAll Sensitivity page, @ForAll Sensitivity cleared) {
    Clearances clearances =
        new Clearances(Map.of("acme", cleared), cleared, Map.of(), Sensitivity.RESTRICTED);

    assertThat(clearances.refusal("acme", Optional.of("other"), page))
        .contains("is another tenant's");
    assertThat(clearances.refusal("", Optional.of("other"), page)).contains("is another tenant's");
  }

  @Example
  void aReplicaIsFoundByItsIdElseByTheLongestBeginningOfItsUrl() {
    Clearances clearances =
        new Clearances(
            Map.of(),
            Sensitivity.PUBLIC,
            Map.of(
                "node-1", Sensitivity.PUBLIC,
                "http://gpu", Sensitivity.INTERNAL,
                "http://gpu-1:8000", Sensitivity.RESTRICTED),
            Sensitivity.CONFIDENTIAL);

    assertThat(clearances.replica("node-1", "http://gpu-1:8000")).isEqualTo(Sensitivity.PUBLIC);
    assertThat(clearances.replica("r", "http://gpu-1:8000/v1")).isEqualTo(Sensitivity.RESTRICTED);
    assertThat(clearances.replica("r", "http://gpu-2:8000")).isEqualTo(Sensitivity.INTERNAL);
    assertThat(clearances.replica("r", "http://cloud")).isEqualTo(Sensitivity.CONFIDENTIAL);
  }

  @Example
  void theRefusalNamesBothClasses() {
    Clearances clearances =
        new Clearances(
            Map.of("acme", Sensitivity.INTERNAL),
            Sensitivity.PUBLIC,
            Map.of(),
            Sensitivity.RESTRICTED);

    assertThat(clearances.refusal("acme", Optional.empty(), Sensitivity.RESTRICTED))
        .contains("is restricted, and tenant acme is cleared up to internal");
    assertThat(clearances.refusal("", Optional.empty(), Sensitivity.INTERNAL))
        .contains("is internal, and a caller without a tenant is cleared up to public");
    assertThatThrownBy(() -> Sensitivity.of("secret"))
        .hasMessage(
            "secret is no class of sensitivity, must be one of public, internal, confidential,"
                + " restricted");
  }
}
