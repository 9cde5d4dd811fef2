dependencies {
    api(project(":agent-runtime:client"))
    api(project(":agent-runtime:library"))
    api(libs.pekko.actor.typed)
    api(libs.pekko.cluster.typed)
    api(libs.pekko.cluster.sharding.typed)
    api(libs.pekko.persistence.typed)
    api(libs.pekko.serialization.jackson)
    testImplementation(project(":agent-runtime:testkit-board"))
    testImplementation(project(path = ":blackboard", configuration = "testJar"))
    testImplementation(project(path = ":agent-runtime:api", configuration = "testJar"))
    testImplementation(project(path = ":agent-runtime:core", configuration = "testJar"))
    testImplementation(project(path = ":agent-runtime:journal", configuration = "testJar"))
    testImplementation(project(path = ":agent-runtime:client", configuration = "testJar"))
    testImplementation(libs.pekko.actor.testkit.typed)
    testImplementation(libs.pekko.persistence.testkit)
    testImplementation(libs.pekko.persistence.tck)
    testImplementation(libs.logback.classic)
}

// Test fixtures for the other modules.
val testJar by configurations.creating

val testJarTask = tasks.register<Jar>("testJar") {
    archiveClassifier.set("tests")
    from(sourceSets.test.get().output)
}

artifacts {
    add(testJar.name, testJarTask)
}
