dependencies {
    api(project(":blackboard"))
    api(libs.jib.core)
    api(libs.picocli)
    api(libs.commons.compress)
    api(libs.logback.classic)
    testImplementation(project(path = ":blackboard", configuration = "testJar"))
    testImplementation(project(":deploy:cli"))
}

// the tests build an image of what a node runs from
tasks.test {
    dependsOn(":deploy:cli:runtimeClassPath")
}

// what the launcher starts the builder from: this jar and all it needs, side by side
tasks.register<Sync>("builder") {
    from(tasks.jar, configurations.runtimeClasspath)
    into(layout.buildDirectory.dir("builder/lib"))
}
