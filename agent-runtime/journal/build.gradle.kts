dependencies {
    api(project(":blackboard"))
    compileOnly(libs.pekko.persistence.typed)
    testImplementation(project(path = ":blackboard", configuration = "testJar"))
    testImplementation(libs.pekko.persistence.typed)
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
