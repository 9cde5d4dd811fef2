package dev.colony.blackboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScopeTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tenant:acme",
        "tenant:acme:namespace:review",
        "tenant:acme:colony:billing",
        "tenant:acme:colony:billing:namespace:review",
        "tenant:acme:colony:billing:agent:a.b_c~d-1",
        "tenant:acme:colony:billing:session:s:namespace:review"
      })
  void pathIsReadBack(String path) {
    assertThat(Scope.parse(path).path()).isEqualTo(path);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "acme",
        "colony:billing",
        "tenant",
        "tenant:acme:colony",
        "tenant:acme:colony:billing:",
        "colony:billing:tenant:acme",
        "tenant:acme:galaxy:x"
      })
  void whatIsNoPathIsRefusedAsSuch(String path) {
    assertThatThrownBy(() -> Scope.parse(path))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("not a scope path: " + path);
  }
}
