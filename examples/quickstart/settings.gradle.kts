rootProject.name = "harbour"
