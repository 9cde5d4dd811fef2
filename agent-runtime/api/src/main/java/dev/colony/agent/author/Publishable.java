package dev.colony.agent.author;

/** A record that knows under which key it is published, relative to the capability's scope. */
public interface Publishable {

  String blackboardKey();
}
